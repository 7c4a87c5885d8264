"""HTTPS in front of the server, with an authority of its own."""
import asyncio
import os
import pathlib
import shutil
import ssl
import subprocess
import threading

SYSTEM_AUTHORITIES = pathlib.Path("/etc/ssl/certs")
BUNDLE = "ca-certificates.crt"


def make_certificates(folder):
    """ca.pem, and server.pem with its key, for 127.0.0.1 and two days."""
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=footprint",
            "-keyout", "ca.key", "-out", "ca.pem", "-addext", "keyUsage=keyCertSign")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-keyout",
            "server.key", "-out", "server.csr")
    (folder / "server.ext").write_text("subjectAltName=IP:127.0.0.1\nbasicConstraints=CA:FALSE\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-days", "2", "-extfile", "server.ext", "-out", "server.pem")


def has_namespaces():
    """Whether a process can be given its own view of /etc/ssl/certs."""
    return (SYSTEM_AUTHORITIES / BUNDLE).exists() and os.geteuid() == 0 and subprocess.run(
        ["unshare", "--mount", "true"], capture_output=True).returncode == 0


def make_authorities(folder):
    """A copy of the system's authorities with ours among them, as update-ca-certificates makes it."""
    copy = folder / "authorities"
    shutil.copytree(SYSTEM_AUTHORITIES, copy, symlinks=True)
    shutil.copy(folder / "ca.pem", copy / "footprint.pem")
    run = subprocess.run(["openssl", "x509", "-hash", "-noout", "-in", folder / "ca.pem"],
                         check=True, capture_output=True, text=True)
    (copy / f"{run.stdout.strip()}.0").symlink_to("footprint.pem")
    bundle = copy / BUNDLE
    bundle.write_bytes(bundle.read_bytes() + (folder / "ca.pem").read_bytes())
    return copy


class Front:
    """Takes HTTPS and hands it on to a port as HTTP, on a thread of its own."""

    def __init__(self, folder, port):
        self.backend = port
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "server.pem", folder / "server.key")
        self.ready = threading.Event()
        self.connections = 0
        threading.Thread(target=lambda: asyncio.run(self.serve()), daemon=True).start()
        if not self.ready.wait(10):
            raise RuntimeError("the HTTPS front does not start")

    async def serve(self):
        server = await asyncio.start_server(self.hand_on, "127.0.0.1", 0, ssl=self.context)
        self.port = server.sockets[0].getsockname()[1]
        self.ready.set()
        await server.serve_forever()

    async def hand_on(self, reader, writer):
        self.connections += 1
        below = await asyncio.open_connection("127.0.0.1", self.backend)
        await asyncio.gather(pump(reader, below[1]), pump(below[0], writer))


async def pump(reader, writer):
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except (ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()
