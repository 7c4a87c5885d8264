"""Runs deploy/nginx/geofence-server.conf in a real nginx on loopback, before a real geofence-server.

Addresses, certificate and log files are the only lines that differ. Simulated agents upload through
TLS; then it is looked whether the server's answers come through as they are, and whether a position
stands in a log. Where nginx is not installed, Debian's package is unpacked into a temporary folder:
installing it would start it. In CI (the variable CI, or root) it is a failure where that does not
work; else the check is skipped.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=ROOT / ".build/release", type=pathlib.Path,
                        help="folder of the built programs")
    parser.add_argument("--nginx", default=shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin"))
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="proxy-") as folder:
        folder = pathlib.Path(folder)
        arguments.nginx = arguments.nginx or unpacked(folder / "package")
        if not arguments.nginx:
            is_demanded = bool(os.environ.get("CI")) or os.geteuid() == 0
            print(f"proxy: {'FAILED' if is_demanded else 'SKIPPED'}: nginx is not installed and its "
                  "package cannot be had: NOTHING WAS CHECKED")
            sys.exit(1 if is_demanded else 0)
        sys.exit(run(arguments, folder))


def unpacked(folder):
    """The nginx of Debian's package, which is not installed by it; None: there is none."""
    folder.mkdir()
    fetch = ["apt-get", "download", "-qq", "nginx"]
    try:
        done = subprocess.run(fetch, cwd=folder, capture_output=True, text=True, timeout=120)
        if done.returncode and os.geteuid() == 0:
            # The lists of packages are absent, or older than the archive.
            subprocess.run(["apt-get", "update", "-qq"], capture_output=True, timeout=300)
            done = subprocess.run(fetch, cwd=folder, capture_output=True, text=True, timeout=120)
        for package in folder.glob("nginx_*.deb"):
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True, capture_output=True)
            program = folder / "usr/sbin/nginx"
            subprocess.run([program, "-v"], check=True, capture_output=True)
            return program
        print(f"proxy: apt-get download nginx: {done.stderr.strip()}")
    except (OSError, subprocess.SubprocessError) as error:
        print(f"proxy: the package of nginx: {error}")
    return None


def run(arguments, folder):
    program = arguments.bin / "geofence-server"
    made = json.loads(subprocess.run(
        [program, "init", "--database", folder / "server.db", "--workspace", "proxy", "--json"],
        check=True, capture_output=True, text=True).stdout)
    (folder / "admin").write_text(made["admin_key"] + "\n")
    (folder / "fences.geojson").write_text(json.dumps({
        "type": "FeatureCollection", "features": [{
            "type": "Feature", "id": "a", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]},
            "properties": {"name": "A", "radius_m": 150}}]}))
    subprocess.run([program, "import", "--database", folder / "server.db",
                    folder / "fences.geojson"], check=True, capture_output=True)
    (folder / "serve.yaml").write_text(
        "limits: { connections_per_address: 1000, refusal_delay_s: 0 }\n")
    server = subprocess.Popen(
        [program, "serve", "--database", folder / "server.db", "--listen", "127.0.0.1:0",
         "--config", folder / "serve.yaml"], stderr=open(folder / "server.log", "w"))
    nginx = None
    try:
        port = free_port()
        configure(folder, port, listening(folder / "server.log"))
        nginx = subprocess.Popen(
            [arguments.nginx, "-e", "stderr", "-p", folder, "-c", folder / "nginx.conf"],
            stderr=open(folder / "nginx.stderr", "w"))
        await_port(port, nginx, folder)
        wrong = sum(tell(row) for row in rows(arguments, folder, port, made, server))
    finally:
        for process in filter(None, [nginx, server]):
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=30)
    print(f"proxy: {wrong} wrong" if wrong else "proxy: everything as expected")
    return 1 if wrong else 0


def tell(row):
    what, told, expected = row
    print(f"{'ok ' if told == expected else 'BAD'} {what}: {told}"
          + ("" if told == expected else f" (expected {expected})"), flush=True)
    return told != expected


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def listening(log):
    for _ in range(400):
        found = re.search(r"listening on http://(\S+)", log.read_text())
        if found:
            return found.group(1)
        time.sleep(0.05)
    raise SystemExit("proxy: the server does not start:\n" + log.read_text())


def configure(folder, port, upstream):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem"],
        check=True, capture_output=True)
    text = (ROOT / "deploy/nginx/geofence-server.conf").read_text()
    for line, other in [
            ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
            ("server 127.0.0.1:8948", f"server {upstream}"),
            ("server_name fences.example.org", "server_name localhost"),
            ("/etc/letsencrypt/live/fences.example.org/fullchain.pem", f"{folder}/cert.pem"),
            ("/etc/letsencrypt/live/fences.example.org/privkey.pem", f"{folder}/key.pem"),
            ("/var/log/nginx/geofence.log", f"{folder}/access.log"),
            ("/var/log/nginx/geofence-error.log", f"{folder}/error.log")]:
        if line not in text:
            raise SystemExit(f"proxy: the example has no '{line}'")
        text = text.replace(line, other)
    (folder / "site.conf").write_text(text)
    kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"daemon off;\nmaster_process off;\npid {folder}/nginx.pid;\nerror_log stderr crit;\n"
        f"events {{}}\nhttp {{\n{temporary}include {folder}/site.conf;\n}}\n")


def await_port(port, nginx, folder):
    for _ in range(200):
        if nginx.poll() is not None:
            raise SystemExit("proxy: nginx ended: " + (folder / "nginx.stderr").read_text())
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("proxy: nginx does not listen")


def refusal(answer, text, path):
    """What a refusal of nginx's own says, and what of the contract it lacks."""
    kind = answer.getheader("Content-Type", "")
    if "json" not in kind:
        return f"{answer.status} (no problem) {kind}"
    problem = json.loads(text)
    schemas = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())["components"]["schemas"]
    lacking = sorted(set(schemas["Problem"]["required"]) - set(problem))
    lacking += [name for name in ("X-Server-Time", "X-Request-Id") if not answer.getheader(name)]
    if problem.get("status") != answer.status or problem.get("instance") != path:
        lacking.append("its own status and path")
    return (f"{answer.status} {problem.get('code')} {kind}, again in {answer.getheader('Retry-After')} s"
            + (f", WITHOUT {', '.join(lacking)}" if lacking else ""))


def gone(server, trust, port):
    """What nginx answers for a server that is not there, to a plain path and to one that JSON minds."""
    server.send_signal(signal.SIGTERM)
    server.wait(timeout=30)
    for path, told in [("/v1/config", "/v1/config"), ("/v1/admin/fences/%22%5C%0A", "/")]:
        connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=trust)
        connection.request("GET", path)
        answer = connection.getresponse()
        yield f"{path} while the server is away", refusal(answer, answer.read(), told), (
            "503 unavailable application/problem+json, again in 5 s")
        connection.close()


def flood(trust, port):
    """The first answer that is no 200 to requests of eight connections, for at most a minute."""
    refusals = []
    end = time.monotonic() + 60

    def ask_on():
        connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=trust)
        while not refusals and time.monotonic() < end:
            connection.request("GET", "/v1/healthz")
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                refusals.append(refusal(answer, text, "/v1/healthz"))
        connection.close()

    threads = [threading.Thread(target=ask_on) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return refusals[0] if refusals else "none was refused"


def rows(arguments, folder, port, made, server):
    """(what, what came of it, what was expected)"""
    trust = ssl.create_default_context(cafile=str(folder / "cert.pem"))

    def ask(method, path, body=None, key=None):
        connection = http.client.HTTPSConnection("localhost", port, timeout=30, context=trust)
        connection.request(method, path, body, {
            "Authorization": f"Bearer {key or made['device_key']}", "X-Device-Id": "d",
            "Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        kind = answer.getheader("Content-Type", "")
        code = json.loads(text).get("code", "") if "json" in kind else "(nginx's own)"
        return f"{answer.status} {code}".strip()

    done = subprocess.run(
        [str(part) for part in [
            arguments.bin / "geofence-field", "load", "--server", f"https://localhost:{port}",
            "--ca-file", folder / "cert.pem", "--provision", folder / "admin", "--devices", 20,
            "--connections", 8, "--duration", 5, "--ramp", 1, "--rate", 20, "--json"]],
        capture_output=True, text=True)
    report = json.loads(done.stdout) if done.stdout else {"errors": done.stderr, "events": {}}
    yield "errors of 20 simulated agents over TLS", report["errors"], {}
    accepted = report["events"].get("accepted", 0)
    yield "their events", accepted, accepted if accepted > 0 else "more than none"
    north, east = "52.4178", "13.8261"
    yield "GET nearest", ask("GET", f"/v1/fences/nearest?lat={north}&lon={east}"), "200"
    yield "a wrong key", ask("GET", "/v1/config", key="gk_live_0"), "401 key_unknown"
    yield "1 MiB + 1", ask("POST", "/v1/events/batch", b"x" * 1048577), "413 body_too_large"
    yield ("a target of 20 KB", ask("GET", f"/v1/config?lat={north}&{'x' * 20000}"),
           "414 target_too_long")
    for path in ["/metrics", "/metrics/", "//metrics//", "/%6Detrics"]:
        yield path, ask("GET", path), "404 (nginx's own)"
    yield ("more than nginx takes of one address", flood(trust, port),
           "429 rate_limited application/problem+json, again in 5 s")
    time.sleep(5)
    yield from gone(server, trust, port)
    time.sleep(0.5)
    logs = {name: (folder / name).read_text() for name in ["access.log", "error.log", "server.log"]}
    yield "nearest in nginx's log", "/v1/fences/nearest" in logs["access.log"], True
    yield ("logs with a position",
           [name for name, text in logs.items() if north in text or east in text or "lat=" in text],
           [])


main()
