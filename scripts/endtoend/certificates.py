"""Certificates of every wrong kind, made by openssl(1)."""
import os
import ssl
import subprocess


def make(folder, library):
    """`library` is the preloaded clock, with which openssl makes what is no longer or not yet valid."""
    day = 86_400

    def openssl(*arguments, offset=0):
        # A minute back: the clock of who judges it may be a moment behind.
        environment = dict(os.environ, LD_PRELOAD=str(library), WRONG_CLOCK_S=str(int(offset - 60)))
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60, env=environment)

    def authority(name, offset=-30 * day):
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", 3650,
                "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", "-subj", f"/CN={name}", offset=offset)

    def leaf(name, signer, host="IP:127.0.0.1", offset=0, days=2):
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                folder / f"{name}.key", "-out", folder / f"{name}.csr", "-subj", f"/CN={name}")
        (folder / f"{name}.ext").write_text(f"subjectAltName={host}\n")
        openssl("x509", "-req", "-in", folder / f"{name}.csr", "-CA", folder / f"{signer}.pem", "-CAkey",
                folder / f"{signer}.key", "-CAcreateserial", "-days", days, "-extfile", folder / f"{name}.ext", "-out",
                folder / f"{name}.pem", offset=offset)

    authority("ca")
    authority("other-ca")
    leaf("right", "ca")
    leaf("expired", "ca", offset=-10 * day)
    leaf("early", "ca", offset=5 * day)
    leaf("elsewhere", "ca", host="DNS:elsewhere.example.org")
    leaf("unknown", "other-ca")
    leaf("client", "ca")
    leaf("stranger", "other-ca")


def context(folder, name):
    """What a server with this certificate has; None: no TLS at all."""
    if name is None:
        return None
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own = "right" if name == "mutual" else name
    made.load_cert_chain(folder / f"{own}.pem", folder / f"{own}.key")
    if name == "mutual":
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(folder / "ca.pem")
    return made
