"""Ingestion by the real server over HTTP, side by side with bare SQLite in the same run.

The batches are made before anything is measured: the events of a real queue, each with an id of its
own, numbered on and on as each device does, gzip as the agent's.  Every answer must accept every
event; at the end the rows are counted.  Rounds take turns; quoted is the ratio of medians.
"""
import argparse
import gzip
import itertools
import json
import os
import pathlib
import random
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from rig import Failure, Rig, build, file_system, median

THRESHOLD = 5
BATCH, BARE_ROWS = 200, 100
LEAST_SHARE = 0.25
CONNECTIONS = 4
HERE = pathlib.Path(__file__).resolve().parent


def payloads(rig, count):
    """Events as an agent sends them from its queue."""
    rig.run("geofence-field", "bench", "backlog", "--events", count, "--device", "van",
            rig.folder / "queue")
    configuration = rig.configure(state_directory=rig.folder / "queue")
    export = rig.run("geofenced", "queue", "export", "--config", configuration)
    decoder, start = json.JSONDecoder(), len('{"event":')
    return [line[start:decoder.raw_decode(line, start)[1]].encode()
            for line in export.stdout.splitlines()]


def renamed(payload, generator, number):
    """The same event under another id and number."""
    member = b'"client_event_id":"'
    start = payload.index(member) + len(member)
    payload = (payload[:start] + f"{generator.getrandbits(128):032x}abcd".encode()
               + payload[start + 36:])
    member = b'"seq":'
    start = payload.index(member) + len(member)
    return payload[:start] + b"%d" % number + payload[payload.index(b",", start):]


def request(rig, device, name, events):
    body = gzip.compress(
        b'{"batch_id":"%s","clock_anchors":[],"device_id":"%s","events":[%s],"queue":{"dead":0,'
        b'"oldest":null,"pending":200},"sent_at":"2026-01-01T00:00:00Z"}'
        % (name.encode(), device.encode(), b",".join(events)), 6)
    host = rig.url.split("//")[1]
    return (f"POST /v1/events/batch HTTP/1.1\r\nHost: {host}\r\nX-Api-Key: {rig.device_key}\r\n"
            f"X-Device-Id: {device}\r\nContent-Type: application/json\r\n"
            f"Content-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body


class Connection:
    """Just enough of HTTP, so that the client costs next to nothing."""

    def __init__(self, url):
        host, port = url.split("//")[1].split(":")
        self.socket = socket.create_connection((host, int(port)), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""

    def send(self, message):
        self.socket.sendall(message)
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        lines = head.decode("latin-1").split("\r\n")
        length = next(int(line.split(":")[1]) for line in lines[1:]
                      if line.lower().startswith("content-length:"))
        while len(self.rest) < length:
            self.receive()
        body, self.rest = self.rest[:length], self.rest[length:]
        status = int(lines[0].split()[1])
        accepted = body.count(b'"status":"accepted"')
        if status != 200 or accepted != BATCH:
            raise Failure(f"{lines[0]}, {accepted} accepted: {body[:300]}")

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise Failure("the server closed the connection")
        self.rest += data


def serve(rig, lanes):
    """Rows a second of all lanes at once; a lane is the messages of one connection."""
    connections = [Connection(rig.url) for _ in lanes]
    failures = []

    def work(connection, messages):
        try:
            for message in messages:
                connection.send(message)
        except (Failure, OSError) as failure:
            failures.append(failure)

    threads = [threading.Thread(target=work, args=pair) for pair in zip(connections, lanes)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - began
    for connection in connections:
        connection.socket.close()
    if failures:
        raise Failure(failures[0])
    return sum(map(len, lanes)) * BATCH / elapsed


def processor_seconds(pid):
    """Of all threads of a process, those that have ended included."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def bare(rig, program, records, is_unique):
    path = rig.folder / "bare.db"
    run = subprocess.run([program, path, records, str(BARE_ROWS), str(int(is_unique))], check=True,
                         capture_output=True, text=True)
    for suffix in ("", "-wal", "-shm"):
        pathlib.Path(f"{path}{suffix}").unlink(missing_ok=True)
    return float(run.stdout)


def lanes(rig, events, generator, connections, batches, name, queues):
    """`queues` are the events of each device, which it sends in their order, again and again."""
    made = []
    for lane in range(connections):
        device = f"van-{lane}"
        queue = queues.setdefault(device, enumerate(itertools.cycle(events), 1))
        made.append([])
        for number in range(batches // connections):
            chosen = [renamed(payload, generator, place)
                      for place, payload in itertools.islice(queue, BATCH)]
            made[-1].append(request(rig, device, f"{name}-{lane}-{number}", chosen))
    return made


def measure(programs, disk, rounds, batches):
    generator = random.Random(1)
    with Rig(programs, disk) as rig:
        program = rig.memory / "bare_sqlite"
        subprocess.run(["cc", "-O2", "-o", program, HERE / "bare_sqlite.c", "-lsqlite3"], check=True)
        database = rig.make_server()
        server_process = rig.start_server(database)
        events = payloads(rig, batches * BATCH)
        records = rig.memory / "records"
        records.write_bytes(b"\n".join(events) + b"\n")
        table = {"bare": [], "bare_unique": [], "server_1": [], f"server_{CONNECTIONS}": []}
        queues = {}
        sent, began = 0, processor_seconds(server_process.pid)
        for number in range(rounds):
            work = {count: lanes(rig, events, generator, count, batches, f"{number}-{count}",
                                 queues)
                    for count in (1, CONNECTIONS)}
            table["bare"].append(bare(rig, program, records, False))
            table["bare_unique"].append(bare(rig, program, records, True))
            for count, made in work.items():
                table[f"server_{count}"].append(serve(rig, made))
                sent += sum(map(len, made)) * BATCH
        processor = processor_seconds(server_process.pid) - began
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as server:
            stored, = server.execute("SELECT count(*) FROM events").fetchone()
        if stored != sent:
            raise Failure(f"{stored} rows are in the server, {sent} were accepted")
        bytes_each = round(sum(map(len, events)) / len(events))
    rates = {name: round(median(values)) for name, values in table.items()}
    return {"file_system": file_system(disk), "rounds": rounds, "event_bytes": bytes_each,
            "cpu_us_per_event": round(processor / sent * 1e6, 1),
            "rows_per_s": rates,
            "shares": {name: round(rate / rates["bare"], 2) for name, rate in rates.items()
                       if name != "bare"}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--disk", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    programs = options.bin or build(["geofenced", "geofence-server", "geofence-field"])
    try:
        result = measure(programs, options.disk, *((3, 20) if options.short else (7, 60)))
    except Failure as failure:
        print(f"bench-ingest: {failure}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name}: {value}")
    share = result["shares"][f"server_{CONNECTIONS}"]
    if share < LEAST_SHARE:
        print(f"bench-ingest: {share} of bare SQLite, at least {LEAST_SHARE}", file=sys.stderr)
        return THRESHOLD if options.require else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
