"""The real agent and server, and fences that change or are too many.

1. A fence is deleted and one is shrunk while the vehicle stands inside: exit fence_deleted, exit
   fence_changed, at the next sync, and nothing else.
2. 60 fences around a parked kiosk, 30 of which hold it: the 18 smallest of them are entered, once.
3. The server is away while the vehicle drives out of what it knows: one coverage_lost; once the
   server is back one coverage_restored.

Exit status: 0 right, 1 wrong.  Takes about four minutes.
"""
import argparse
import json
import math
import os
import pathlib
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from children import Child, Failure, wait_for

TOP = pathlib.Path(__file__).resolve().parents[2]
LATITUDE, LONGITUDE = 47.4, 8.5
METRES_NORTH = 111_180
METRES_EAST = METRES_NORTH * math.cos(math.radians(LATITUDE))
CAR_SPEED = 33


def place(east, north=0):
    return [LONGITUDE + east / METRES_EAST, LATITUDE + north / METRES_NORTH]


def circle(name, radius, east=0, north=0):
    return {"type": "Feature", "id": name,
            "properties": {"name": name, "radius_m": radius, "dwell_s": 300},
            "geometry": {"type": "Point", "coordinates": place(east, north)}}


class Line:
    """A server with its fences, and an agent."""

    def __init__(self, binaries, folder):
        self.binaries, self.folder, self.children = pathlib.Path(binaries), folder, []
        folder.mkdir()
        self.port = free_port()
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        database = folder / "server.db"
        made = subprocess.run(
            [self.binaries / "geofence-server", "init", "--database", database, "--workspace", "e2e",
             "--json"], check=True, capture_output=True, text=True, timeout=60)
        keys = json.loads(made.stdout)
        self.admin_key = keys["admin_key"]
        with open(os.open(folder / "device-key", os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
            file.write(keys["device_key"] + "\n")
        # More than the plan's 100 fences, which no answer would leave out.
        with sqlite3.connect(database) as connection:
            connection.execute("UPDATE workspaces SET max_fences = 1000")
        connection.close()
        self.server = self.child("geofence-server", "serve", "--database", database, "--listen",
                                 f"127.0.0.1:{self.port}")
        self.await_(lambda: self.ask("GET", "/v1/admin/fences?limit=1") is not None, "the server")

    def child(self, name, *arguments):
        # As the system's manager does: what was known after the last fix is left to the next process.
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700, exist_ok=True)
        child = Child(name, [self.binaries / name, *arguments], self.folder / f"{name}.log",
                      {"RUNTIME_DIRECTORY": str(runtime)})
        self.children.append(child)
        child.start()
        return child

    def ask(self, method, path, body=None):
        """The answer, or None where there is no server."""
        data = None if body is None else json.dumps(body).encode()
        kind = "application/geo+json" if path.endswith(".geojson") else "application/json"
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data, method=method,
            headers={"Authorization": f"Bearer {self.admin_key}", "Content-Type": kind})
        try:
            with self.opener.open(request, timeout=10) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise Failure(f"{method} {path}: {error} {error.read()[:300]}") from error
        except OSError:
            return None

    def put(self, features):
        self.ask("PUT", "/v1/admin/fences.geojson",
                 {"type": "FeatureCollection", "features": features})

    def start_agent(self, lines):
        config = self.folder / "geofenced.yaml"
        config.write_text(
            f"server: {{ url: 'http://127.0.0.1:{self.port}', key_file: {self.folder}/device-key }}\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 1 }\n" + lines)
        self.agent = self.child("geofenced", "run", "--config", config)

    def events(self):
        """What the agent has recorded: (type, fence, reason)."""
        done = subprocess.run(
            [self.binaries / "geofenced", "events", "--json", "--limit", "1000", "--config",
             self.folder / "geofenced.yaml"], capture_output=True, text=True, timeout=30)
        rows = [json.loads(line) for line in done.stdout.splitlines() if line.strip()]
        return [(row["type"], row.get("fence_id"), row.get("reason"))
                for row in rows if row["type"] not in ("visit_started", "visit_ended")]

    def await_(self, condition, what, seconds=60):
        running = [child for child in self.children if child is not getattr(self, "stopped", None)]
        wait_for(condition, what, running, seconds, 0.2, lambda: f"events: {self.events()}")

    def settled(self, count, what, quiet=8, seconds=90):
        """Waits for so many events and some seconds more; gives them."""
        self.await_(lambda: len(self.events()) >= count, what, seconds)
        time.sleep(quiet)
        return self.events()

    def close(self):
        for child in reversed(self.children):
            if child.is_running:
                child.stop(30)


def expect(got, wanted, what):
    if got != wanted:
        raise Failure(f"{what}:\n  got      {got}\n  expected {wanted}")


KIOSK = ("device: { id: kiosk, profile: kiosk }\n"
         f"position: {{ lat: {LATITUDE}, lon: {LONGITUDE} }}\n")


def deleted_and_shrunk(line):
    fences = [circle("deleted", 80), circle("shrunk", 90, east=40), circle("kept", 300)]
    line.put(fences)
    # A kiosk that reports nothing hears of changes when it asks again, here each minute.
    line.ask("PUT", "/v1/admin/config", {"refresh_after_s": 60})
    line.start_agent(KIOSK)
    first = [("enter", "kept", None), ("enter", "shrunk", None), ("enter", "deleted", None)]
    expect(line.settled(3, "three fences to be entered", quiet=3), first, "entered")
    line.put([circle("shrunk", 15, east=40), circle("kept", 300)])
    events = line.settled(5, "two exits")
    expect(events[:3], first, "entered")
    expect(sorted(events[3:]), [("exit", "deleted", "fence_deleted"),
                                ("exit", "shrunk", "fence_changed")], "left")


def crowded_kiosk(line):
    holding = [circle(f"holds-{index:02}", 100 + 10 * index) for index in range(30)]
    near = [circle(f"near-{index:02}", 40, east=150 * math.cos(index), north=150 * math.sin(index))
            for index in range(30)]
    line.put(holding + near)
    line.start_agent(KIOSK)
    events = line.settled(18, "18 fences to be entered", quiet=15)
    expect(sorted(events), [("enter", f"holds-{index:02}", None) for index in range(18)],
           "of 60 fences")


def away_server(line):
    # 120 fences at the start and more beyond 900 m: an answer of 100 covers some hundred metres.
    line.put([circle(f"start-{index:03}", 10, east=-200, north=3 * index - 200)
              for index in range(99)]
             + [circle(f"far-{index:03}", 20, east=900 + 100 * index, north=400)
                for index in range(60)])
    route = line.folder / "route.geojson"
    route.write_text(json.dumps({
        "type": "Feature", "properties": {"speed_mps": CAR_SPEED, "stops": [[0, 12]]},
        "geometry": {"type": "LineString", "coordinates": [place(0), place(1800)]}}))
    line.child("geofence-field", "simulate", "--route", route, "--seed", "1", "--noise", "open",
               "--rate", "1", "--baud", "38400", "--pty", line.folder / "receiver",
               "--wait-for-reader", "--linger", "600")
    line.await_((line.folder / "receiver").is_symlink, "the receiver")
    line.start_agent("device: { id: car }\nreceiver: { source: serial, "
                     f"path: {line.folder}/receiver, baud: 38400 }}\n")

    def status():
        done = subprocess.run(
            [line.binaries / "geofenced", "status", "--json", "--config",
             line.folder / "geofenced.yaml"], capture_output=True, text=True, timeout=30)
        return json.loads(done.stdout) if done.stdout.strip() else {}

    line.await_(lambda: status().get("fences", {}).get("known", 0) >= 100, "the fences of the start")
    line.stopped = line.server
    line.server.kill()
    seen = lambda kind: [event for event in line.events() if event[0] == kind]
    line.await_(lambda: seen("coverage_lost"), "coverage_lost", 120)
    # Out of the covered ground and on, with the server still away.
    time.sleep(15)
    line.stopped = None
    line.server.start()
    line.await_(lambda: seen("coverage_restored"), "coverage_restored", 90)
    time.sleep(10)
    counts = [len(seen(kind)) for kind in ("coverage_lost", "coverage_restored")]
    expect(counts, [1, 1], "coverage_lost and coverage_restored")
    line.await_(lambda: (status().get("queue") or {}).get("pending") == 0, "the upload", 120)


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/end-to-end-fences", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=TOP / ".build" / "debug", help="where the programs are")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-fences."))
    wrong = 0
    for scenario in (deleted_and_shrunk, crowded_kiosk, away_server):
        began, line = time.monotonic(), None
        try:
            line = Line(options.bin, folder / scenario.__name__)
            scenario(line)
            verdict = "passed"
        except (Failure, subprocess.SubprocessError, OSError) as error:
            wrong, verdict = 1, f"FAILED: {error}"
        finally:
            if line:
                line.close()
        print(f"end-to-end-fences: {scenario.__name__}: {verdict} "
              f"({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
    if wrong:
        print(f"end-to-end-fences: kept: {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


if __name__ == "__main__":
    sys.exit(main())
