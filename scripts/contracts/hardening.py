"""Throws at a running geofence-server what a hostile network may, and tells what it answers.

Prints a table of input and answer. A normal client asks all the while from another address: how long
it waited is told at the end. Fails where an answer is not the expected one, where the normal client
was refused, or where it waited longer than 100 ms.
"""

import argparse
import gzip
import hashlib
import http.client
import json
import pathlib
import re
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# The machine's own network is all loopback: attackers come from another address than clients.
ATTACKER = "127.0.0.66"
DRIPS = 500


class Server:
    def __init__(self, folder, binaries):
        program = binaries / "geofence-server"
        self.database = str(folder / "server.db")
        made = json.loads(subprocess.run(
            [program, "init", "--database", self.database, "--workspace", "hard", "--json"],
            check=True, capture_output=True, text=True).stdout)
        self.admin, self.device = made["admin_key"], made["device_key"]
        subprocess.run([program, "limits", "--database", self.database, "--keys", "1000000",
                        "--fences", "1000000"], check=True, capture_output=True)
        self.log = folder / "server.log"
        self.process = subprocess.Popen(
            [program, "serve", "--database", self.database, "--listen", "127.0.0.1:0"],
            stderr=open(self.log, "w"))
        for _ in range(200):
            for line in self.log.read_text().splitlines():
                if "listening on " in line:
                    self.port = int(line.rsplit(":", 1)[1])
                    return
            time.sleep(0.05)
        raise SystemExit("hardening: the server does not start:\n" + self.log.read_text())

    def ask(self, method, path, body=None, headers=None, key=None, timeout=60):
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=timeout, source_address=(ATTACKER, 0))
        fields = {"Authorization": f"Bearer {key or self.admin}", "X-Device-Id": "d"}
        if body is not None:
            fields["Content-Type"] = "application/json"
        fields.update(headers or {})
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.getheader("Content-Type"), answer.read()
        finally:
            connection.close()

    def raw(self, data, timeout=30):
        """Status and code of what comes back to these bytes; "cut": nothing."""
        connection = socket.create_connection(
            ("127.0.0.1", self.port), timeout=timeout, source_address=(ATTACKER, 0))
        answer = b""
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                answer += piece
        except OSError:
            pass
        finally:
            connection.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        if not head:
            return "cut"
        status = head.split(b" ")[1].decode("latin-1")
        if b"application/problem+json" not in head:
            return f"{status} (the library's own)"
        return f"{status} {json.loads(body)['code']}"


class NormalClient:
    """A client in a process of its own, so that this program's work does not hold it up."""

    def __init__(self, server):
        self.process = subprocess.Popen(
            [sys.executable, pathlib.Path(__file__).with_name("normal_client.py"),
             str(server.port), server.device],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def finish(self):
        """What it found: {"waits": [s], "stalls": [s], "failures": [text], "seconds": how long it asked,
        "answered": [s after it began]}"""
        return json.loads(self.process.communicate(timeout=60)[0])

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def rows(server):
    """(what is sent, what came back, what was expected)"""
    problem = "application/problem+json"

    def asked(what, expected, *arguments, **named):
        status, kind, body = server.ask(*arguments, **named)
        told = f"{status} {json.loads(body)['code']}" if kind == problem else f"{status}"
        return what, told, expected

    batch = "/v1/events/batch"
    device = {"key": server.device}
    big = b'{"x": "' + b"y" * (1048576 - 8) + b'"}'
    yield asked("a body of 1 MiB + 1", "413 body_too_large", "POST", batch, big, **device)
    yield asked("a body of 1 MiB + 1, in chunks", "413 body_too_large", "POST", batch,
                iter([big[:500000], big[500000:]]), **device)
    bomb = gzip.compress(b" " * 200_000_000, 9)
    yield asked(f"200 MB of spaces in {len(bomb) // 1024} KiB of gzip", "413 body_too_large",
                "POST", batch, bomb, {"Content-Encoding": "gzip"}, **device)
    yield asked("damaged gzip", "400 damaged_gzip", "POST", batch, b"\x1f\x8b\x08nonsense",
                {"Content-Encoding": "gzip"}, **device)
    for name, text in [("arrays", "[" * 10000 + "]" * 10000),
                       ("objects", '{"a":' * 10000 + "1" + "}" * 10000)]:
        yield asked(f"JSON {name} 10,000 deep", "400 malformed_json", "POST", batch, text, **device)
    for text in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999", "01", "0x10", "1.", "+1"]:
        yield asked(f"lat: {text}", "400 malformed_json", "POST", "/v1/fences/nearest",
                    '{"lat": %s, "lon": 13}' % text, **device)
        query = text.replace("+", "%2B")
        yield asked(f"?lat={text}", "422 invalid_value", "GET",
                    f"/v1/fences/nearest?lat={query}&lon=13", **device)
    yield asked("text that is not UTF-8", "400 malformed_json", "POST", batch, b'{"a": "\xff"}',
                **device)
    yield asked("a name twice", "400 malformed_json", "POST", batch, '{"a": 1, "a": 2}', **device)
    for path in ["/v1/admin/../../etc/passwd", "/../../../etc/passwd", "/v1/%2e%2e/%2e%2e/etc/passwd",
                 "/v1/admin/fences/..%2f..%2fetc%2fpasswd", "/%00", "//etc/passwd"]:
        yield asked(f"GET {path}", "404 not_found", "GET", path)
    for field in ["Authorization", "X-API-Key"]:
        for key in ["Bearer ' OR 1=1 --", "Bearer " + "k" * 8000, "Bearer \u00e4"]:
            yield asked(f"{field}: {key[:30]}", "401 key_unknown", "GET", "/v1/admin/keys",
                        headers={"Authorization": "", field: key.encode("utf-8").decode("latin-1")})
    yield asked("a device's key at an admin route", "403 scope", "GET", "/v1/admin/keys", **device)
    yield asked("an admin's key at a device's route", "403 scope", "GET", "/v1/config")
    yield asked("TRACE", "405 method_not_allowed", "TRACE", "/v1/healthz")
    yield asked("text/xml", "415 unsupported_media_type", "POST", batch, "<x/>",
                {"Content-Type": "text/xml"}, **device)


def raw_rows(server):
    """Those that no library sends."""
    start = b"GET /v1/healthz HTTP/1.1\r\nHost: t\r\n"
    for what, data, expected in [
            ("100 header fields of 200 bytes",
             start + (b"X-A: " + b"b" * 200 + b"\r\n") * 100 + b"\r\n", "431 fields_too_large"),
            ("a header field of 20 KiB", start + b"X-A: " + b"a" * 20480 + b"\r\n\r\n",
             "431 fields_too_large"),
            ("a path of 10,000 bytes",
             b"GET /" + b"a" * 10000 + b" HTTP/1.1\r\nHost: t\r\n\r\n", "414 target_too_long"),
            ("a query of 20,000 bytes",
             b"GET /v1/healthz?" + b"a" * 20000 + b" HTTP/1.1\r\nHost: t\r\n\r\n",
             "414 target_too_long"),
            ("no Host", b"GET /v1/healthz HTTP/1.1\r\n\r\n", "400 host_invalid"),
            ("two Hosts", start + b"Host: u\r\n\r\n", "400 host_invalid")]:
        yield what, server.raw(data), expected
    # What libmicrohttpd does not let through to us it answers itself, or cuts.
    refused = ("400", "413", "431", "414", "505", "cut")
    for what, data in [
            ("10,000 header fields", start + b"X-A: b\r\n" * 10000 + b"\r\n"),
            ("a header field of 1 MiB", start + b"X-A: " + b"a" * 1048576 + b"\r\n\r\n"),
            ("a path of 100,000 bytes", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: t\r\n\r\n"),
            ("Content-Length: -1", b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n"),
            ("Content-Length: 99999999999999999999",
             b"POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n"),
            ("bytes at random", bytes((i * 7919 >> 3) & 255 for i in range(4096)) + b"\r\n\r\n"),
            ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 500)]:
        told = server.raw(data)
        yield what, told, told if told.startswith(refused) else "a refusal"


def injections(server):
    """SQL in every string that is kept; everything is still there afterwards."""
    texts = ["'; DROP TABLE fences; --", "' OR '1'='1", "\"; DELETE FROM keys; --", "%' UNION SELECT 1",
             "\u0000", "a\\", "${jndi:ldap://x}", "<script>alert(1)</script>"]
    kept = 0
    for number, text in enumerate(texts):
        fence = {"type": "circle", "center": {"lat": 1, "lon": number}, "radius_m": 100,
                 "name": text, "metadata": {text: text}}
        status, _, _ = server.ask("PUT", f"/v1/admin/fences/i-{number}", json.dumps(fence))
        kept += status == 201
        event = {"client_event_id": text, "queue_epoch": text, "seq": number + 1, "boot_id": text,
                 "type": "enter", "fence_id": text, "visit_id": text, "reason": text,
                 "wall_at": "2026-01-01T00:00:00Z", "wall_synchronised": True,
                 "time_quality": text, "initial": False, "inferred": False,
                 "notification": {"decision": text, "reason": text, "campaign_id": text}}
        status, _, body = server.ask("POST", "/v1/events/batch", json.dumps(
            {"batch_id": text, "device_id": "d", "events": [event]}), key=server.device)
        kept += status == 200 and json.loads(body)["results"][0]["status"] == "accepted"
        for path in ["events", "visits", "devices", "fences", "campaigns"]:
            query = "&".join(f"{name}={urllib.parse.quote(text)}" for name in ["cursor", "device_id", "fence_id"])
            status, _, _ = server.ask("GET", f"/v1/admin/{path}?{query}")
            if status >= 500:
                return "SQL in every string", f"{status} of {path}", "no 5xx"
    listed = json.loads(server.ask("GET", "/v1/admin/fences?limit=1000")[2])["fences"]
    names = {fence["name"] for fence in listed}
    told = f"{kept} kept, {sum(text in names for text in texts)} names as sent"
    return "SQL in every string", told, f"{2 * len(texts)} kept, {len(texts)} names as sent"


def many_keys(server):
    """10,000 keys; the first and the last of them open."""
    database = sqlite3.connect(server.database, timeout=30)
    texts = [f"gk_live_{number:064x}" for number in range(10000)]
    database.executemany(
        "INSERT INTO keys (workspace, scope, hash, last_four, created_ms) VALUES (1, 'live', ?, ?, 0)",
        [(hashlib.sha256(text.encode()).digest(), text[-4:]) for text in texts])
    database.commit()
    database.close()
    statuses = {server.ask("GET", "/v1/config", key=text)[0] for text in (texts[0], texts[-1])}
    listed = len(json.loads(server.ask("GET", "/v1/admin/keys")[2])["keys"])
    return "10,000 keys", f"{statuses}, {listed} listed", "{200}, 10002 listed"


def coordinates(server):
    """Asks every route for places, in every way; none of them may stand in the log."""
    document = (ROOT / "docs/openapi.yaml").read_text()
    paths = re.findall(r"^  (/[^:]*):$", document, re.MULTILINE)
    north, east = "52.4178", "13.8261"
    position = json.dumps({
        "lat": float(north), "lon": float(east), "type": "circle", "radius_m": 100,
        "center": {"lat": float(north), "lon": float(east)}, "device_id": "d", "batch_id": "c",
        "events": [{"position": {"lat": float(north), "lon": float(east)}}],
        "geometry": {"type": "Point", "coordinates": [float(east), float(north)]}})
    asked = 0
    for path in paths:
        for method in ["GET", "POST", "PUT", "DELETE", "HEAD"]:
            for key in [server.admin, server.device]:
                # The things that are named are not there: nothing is deleted.
                target = path.replace("{id}", "nothing") + f"?lat={north}&lon={east}&assigned=me"
                server.ask(method, target, position if method in ("POST", "PUT") else None, key=key)
                asked += 1
    server.raw(f"GET /v1/fences/nearest?lat={north}&lon={east} HTTP/1.1\r\n\r\n".encode())
    server.raw(f"GET /?lat={north}&lon={east}&{'x' * 20000} HTTP/1.1\r\nHost: t\r\n\r\n".encode())
    time.sleep(0.5)
    lines = server.log.read_text().splitlines()
    found = [line for line in lines if north in line or east in line or "lat=" in line]
    logged = sum("nearest" in line for line in lines)
    told = f"{len(found)} lines of {asked} requests"
    return ("coordinates in the access log", told if logged else "nothing is logged",
            f"0 lines of {asked} requests")


def held_database(server):
    """Another process holds the database for 3 s while 30 uploaders wait: who reads is answered.

    The normal client reads all the while, and is judged at the end; here the probes are.
    """
    answers = []

    def upload(number):
        answers.append(server.ask("POST", "/v1/events/batch", json.dumps(
            {"batch_id": f"held-{number}", "device_id": "d", "events": []}), key=server.device)[0])

    holder = sqlite3.connect(server.database, timeout=30, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    uploaders = [threading.Thread(target=upload, args=(number,)) for number in range(30)]
    for uploader in uploaders:
        uploader.start()
    begun = time.monotonic()
    probes, waiting = [], 30
    while time.monotonic() - begun < 3:
        for path in ("/v1/healthz", "/metrics"):
            asked = time.monotonic()
            status = server.ask("GET", path)[0]
            probes.append(time.monotonic() - asked if status == 200 else 99)
        time.sleep(0.1)
        waiting = min(waiting, 30 - len(answers))
    holder.execute("ROLLBACK")
    holder.close()
    for uploader in uploaders:
        uploader.join()
    worst = max(probes)
    told = (f"{waiting} waited, {answers.count(200)} accepted, the probes "
            + ("were answered" if worst < 1 else f"waited {worst:.1f} s"))
    return ("30 uploaders while another process writes for 3 s", told,
            "30 waited, 30 accepted, the probes were answered")


def drip(server):
    """500 connections that send a byte now and then; all are gone after their deadline."""
    connections = []
    for _ in range(DRIPS):
        connection = socket.socket()
        connection.settimeout(5)
        connection.bind((ATTACKER, 0))
        try:
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(b"POST /v1/events/batch HTTP/1.1\r\n")
            connections.append(connection)
        except OSError:
            connection.close()
    opened = len(connections)
    begun = time.monotonic()
    while connections and time.monotonic() - begun < 40:
        for connection in list(connections):
            try:
                connection.sendall(b"X")
                connection.setblocking(False)
                try:
                    over = connection.recv(1) == b""
                except BlockingIOError:
                    over = False
                connection.settimeout(5)
            except OSError:
                over = True
            if over:
                connection.close()
                connections.remove(connection)
        time.sleep(0.5)
    left, seconds = len(connections), time.monotonic() - begun
    for connection in connections:
        connection.close()
    told = f"{left} left after {seconds:.0f} s"
    return (f"{DRIPS} connections that drip ({opened} taken)", told,
            told if left == 0 and seconds < 30 else "0 left within 30 s")


def judge(found):
    """How long the normal client waited, and whether it was served to the end.

    Where the machine itself held up a sleeping thread for 20 ms or more, three times that is allowed
    beside the 100 ms: a request takes some turns of the processor.
    """
    if not found["answered"] or not found["stalls"]:
        print("BAD normal client: nothing was answered")
        return 1
    waits, stalls = sorted(found["waits"]), sorted(found["stalls"])
    p99, worst = waits[int(len(waits) * 0.99)], waits[-1]
    stall = stalls[-1]
    allowed = 0.1 + (3 * stall if stall >= 0.02 else 0)
    print(f"normal client: {len(waits)} requests, {len(found['failures'])} failed, "
          f"median {statistics.median(waits) * 1000:.1f} ms, p99 {p99 * 1000:.1f} ms, "
          f"worst {worst * 1000:.1f} ms; the machine held up a sleeping thread for up to "
          f"{stall * 1000:.1f} ms")
    for failure in found["failures"][:5]:
        print(f"BAD normal client: {failure}")
    is_late = p99 > allowed or worst > allowed
    if is_late:
        print(f"BAD normal client: it waited longer than {allowed * 1000:.0f} ms")
    # It asks ten times a second; 8 are demanded, fewer where each may wait for longer.
    least = found["seconds"] / (0.025 + allowed)
    silence = found["seconds"] - found["answered"][-1]
    is_starved = len(found["answered"]) < least or silence > 1 + allowed
    if is_starved:
        print(f"BAD normal client: {len(found['answered'])} answers in {found['seconds']:.0f} s, "
              f"at least {least:.0f} are demanded, the last {silence:.1f} s before the end")
    return bool(found["failures"]) + is_late + is_starved


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=ROOT / ".build/debug", type=pathlib.Path,
                        help="folder of the built programs")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hardening-") as folder:
        sys.exit(run(Server(pathlib.Path(folder), arguments.bin)))


def run(server):
    client = NormalClient(server)
    wrong = 0

    def tell(row):
        what, told, expected = row
        isRight = told == expected
        print(f"{'ok ' if isRight else 'BAD'} {what}: {told}"
              + ("" if isRight else f" (expected {expected})"), flush=True)
        return not isRight

    try:
        for row in rows(server):
            wrong += tell(row)
        for row in raw_rows(server):
            wrong += tell(row)
        for check in (injections, many_keys, held_database, drip, coordinates):
            wrong += tell(check(server))
        found = client.finish()
    finally:
        client.end()
        server.process.send_signal(signal.SIGTERM)
        status = server.process.wait(timeout=30)
    wrong += tell(("SIGTERM", f"status {status}", "status 0"))
    wrong += judge(found)
    print(f"hardening: {wrong} wrong" if wrong else "hardening: everything as expected")
    return 1 if wrong else 0


main()
