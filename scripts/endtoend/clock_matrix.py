"""Runs the real agent, receiver and server with wrong clocks and wrong dates, and checks every event's time.

Each row of the matrix is a device of its own: a wall clock that stands in 1970, ten years back or
ahead, or right but not synchronised (a preloaded library), and a receiver whose date is right, lost
1,024 or 2,048 weeks, is missing until after the drive, or never comes.  A drive crosses a fence; then
`geofenced events` and the server must both give its events the true time of the crossing within the
tolerance, and until a time is known none at all.  Where it becomes known after the server has the
events, the device stands still: there is no further event with which the time could go, and the server
must know it a minute after the agent.  All rows run at the same time against one server.

Exit status: 0 right, 1 different.
"""
import argparse
import datetime
import json
import math
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from children import Child, Failure, LogFollower, departure, wait_for
from driver import TOP
from server import Server

DAY_S = 86_400
YEAR_S = 365.25 * DAY_S
ROLLOVER_S = 1024 * 7 * DAY_S
LIMIT_S = 150
# From the agent knowing the times of events that the server has to the server knowing them.
ANCHOR_LIMIT_S = 60
CENTER = (48.1, 11.5036)
RADIUS_M = 60
ROUTE = {"type": "Feature", "properties": {"speed_mps": 14}, "geometry": {
    "type": "LineString", "coordinates": [[11.5, 48.1], [11.5075, 48.1]]}}
# Where the drive ends, and a step for the sake of the format.
STAND = {"type": "Feature", "properties": {"speed_mps": 0.5}, "geometry": {
    "type": "LineString", "coordinates": [[11.5075, 48.1], [11.507503, 48.1]]}}
FENCE = {"type": "FeatureCollection", "features": [{
    "type": "Feature", "id": "gate", "properties": {"name": "Gate", "radius_m": RADIUS_M},
    "geometry": {"type": "Point", "coordinates": [CENTER[1], CENTER[0]]}}]}

# name, wall clock off by seconds (None: stands in 1970), weeks' seconds that the receiver lost,
# where the time comes from: gnss, late (a date after the drive), wall (synchronised after the drive), never
ROWS = [
    ("wall 1970, date right", None, 0, "gnss"),
    ("wall ten years back, date right", -10 * YEAR_S, 0, "gnss"),
    ("wall ten years ahead, date right", 10 * YEAR_S, 0, "gnss"),
    ("wall 1970, date 1,024 weeks back", None, ROLLOVER_S, "gnss"),
    ("wall ten years ahead, date 2,048 weeks back", 10 * YEAR_S, 2 * ROLLOVER_S, "gnss"),
    ("wall ten years back, date comes after the drive", -10 * YEAR_S, 0, "late"),
    ("wall 1970, date 1,024 weeks back comes after the drive", None, ROLLOVER_S, "late"),
    ("wall right, synchronised after the drive, no date", 0, 0, "wall"),
    ("wall ten years back and never synchronised, no date", -10 * YEAR_S, 0, "never"),
]


def moment(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() if text else None


def utc(seconds):
    at = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def meters(latitude, longitude):
    north = math.radians(latitude - CENTER[0]) * 6_371_000
    east = math.radians(longitude - CENTER[1]) * 6_371_000 * math.cos(math.radians(CENTER[0]))
    return math.hypot(north, east)


class FencedServer(Server):
    def make(self):
        super().make()
        self.ask("PUT", "/v1/admin/fences.geojson", json.dumps(FENCE).encode())

    def ask(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", body, method=method,
            headers={"Authorization": f"Bearer {self.admin}", "Content-Type": "application/json"})
        # No proxy: the server of a test stands on loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return json.loads(answer.read() or b"null")

    def events(self, device):
        return [event for event in self.ask("GET", "/v1/admin/events?limit=500")["events"]
                if event.get("device_id") == device]


class Row:
    """One device with its clocks."""

    def __init__(self, index, row, programs, folder, library, server):
        self.name, offset, self.lost_s, self.source = row
        self.offset_s = -time.time() + 7200 if offset is None else offset
        self.device = f"clock-{index}"
        self.programs, self.server, self.library = programs, server, library
        self.folder = folder / self.device
        self.folder.mkdir()
        self.marker = self.folder / "synchronised"
        self.children = []
        self.problems = []
        self.shown = {}
        self.anchor_s = None
        # By so much the dates of a receiver whose start was given are behind: it waits for its reader.
        self.behind_s, self.follower = 0, None

    def child(self, name, arguments):
        child = Child(name, arguments, self.folder / f"{name}-{len(self.children)}.log")
        self.children.append(child)
        child.start()
        return child

    def receive(self, dated, route="route.geojson"):
        """Starts a receiver; its start is given where its date matters or must not come from the wall clock."""
        arguments = ["simulate", "--route", self.folder / route, "--pty", self.folder / "receiver",
                     "--truth", self.folder / ("truth.ndjson" if not self.children else "truth-2.ndjson"),
                     "--wait-for-reader", "--linger", 3600]
        if not dated:
            arguments += ["--sentences", "gga,gsa"]
        elif self.lost_s:
            arguments += ["--start", utc(math.floor(time.time()) - self.lost_s)]
        receiver = self.child("receiver", [self.programs / "geofence-field", *arguments])
        if dated and self.lost_s and self.source == "late":
            self.follower = LogFollower(receiver.log_path, self.note_departure)
        self.await_(lambda: (self.folder / "receiver").is_symlink(), "the receiver's port")
        return receiver

    def note_departure(self, seen, line):
        if departs := departure(line):
            self.behind_s = seen - departs[1] - self.lost_s

    def run(self):
        (self.folder / "route.geojson").write_text(json.dumps(ROUTE))
        (self.folder / "stand.geojson").write_text(json.dumps(STAND))
        receiver = self.receive(dated=self.source == "gnss")
        config = self.folder / "geofenced.yaml"
        config.write_text(
            f"server:\n  url: http://127.0.0.1:{self.server.port}\n  key_file: {self.server.device_key}\n"
            f"device:\n  id: {self.device}\n"
            f"receiver:\n  source: serial\n  path: {self.folder}/receiver\n  baud: 9600\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 1 }\n")
        self.child("geofenced", [
            "/usr/bin/env", f"LD_PRELOAD={self.library}", f"WRONG_CLOCK_S={int(self.offset_s)}",
            f"WRONG_CLOCK_SYNCHRONISED={self.marker}", self.programs / "geofenced", "run", "--config", config])
        kinds = {"enter", "exit"}
        self.await_(lambda: kinds <= self.local().keys(), "enter and exit in `geofenced events`")
        self.await_(lambda: kinds <= self.stored().keys(), "enter and exit on the server")
        if self.source != "gnss":
            for where, events in (("the agent", self.local()), ("the server", self.stored())):
                for kind, at in events.items():
                    if at is not None and abs(at - time.time()) > 2 * LIMIT_S:
                        self.problems.append(f"{where} gave {kind} the wrong time {utc(at)} before any was known")
        count = self.stored_count()
        if self.source == "late":
            receiver.stop(10)
            self.receive(dated=True, route="stand.geojson")
        elif self.source == "wall":
            self.marker.touch()
        if self.source == "never":
            time.sleep(5)
            self.shown = {"agent": self.local(), "server": self.stored()}
            for where, events in self.shown.items():
                self.problems += [f"{where} has a time for {kind}: {utc(at)}" for kind, at in events.items() if at]
            return
        self.await_(lambda: all(self.local().get(kind) for kind in kinds), "times of enter and exit in `geofenced events`")
        began = time.monotonic()
        self.await_(lambda: all(self.stored().get(kind) for kind in kinds), "times of enter and exit in the server",
                    ANCHOR_LIMIT_S)
        if self.source in ("late", "wall"):
            self.anchor_s = time.monotonic() - began
            if self.stored_count() != count:
                self.problems.append("another event went to the server: the row proves nothing")
        self.shown = {"agent": self.local(), "server": self.stored()}

    def truth(self):
        """The true moments of enter and exit: the first crossings of the fence by the true track."""
        inside, found = False, {}
        for line in (self.folder / "truth.ndjson").read_text().splitlines():
            point = json.loads(line)
            now_inside = meters(point["lat"], point["lon"]) <= RADIUS_M
            if now_inside != inside:
                found.setdefault("enter" if now_inside else "exit",
                                 moment(point["time"]) + self.lost_if_dated() - self.behind_s)
            inside = now_inside
        return found

    def lost_if_dated(self):
        return self.lost_s if self.source == "gnss" else 0

    def local(self):
        done = subprocess.run(
            [self.programs / "geofenced", "events", "--json", "--limit", "100", "--config",
             self.folder / "geofenced.yaml"], capture_output=True, text=True, timeout=30)
        return times(json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))

    def stored_count(self):
        return len(self.server.events(self.device))

    def stored(self):
        return times(self.server.events(self.device))

    def await_(self, condition, what, limit=LIMIT_S):
        agents = [child for child in self.children if child.name == "geofenced"]
        wait_for(condition, what, agents, limit, 0.5,
                 lambda: f"agent {self.local()}, server {self.stored()}")

    def attempt(self):
        try:
            self.run()
        except (Failure, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            self.problems.append(str(error))

    def judge(self, tolerance):
        if self.source != "never" and not self.problems:
            truth = self.truth()
            for where, events in self.shown.items():
                for kind, at in truth.items():
                    if abs(events[kind] - at) > tolerance:
                        self.problems.append(f"{where}: {kind} at {utc(events[kind])}, truly at {utc(at)}")
        worst = max((abs(events[kind] - at) for events in self.shown.values()
                     for kind, at in (self.truth() if self.source != "never" else {}).items()
                     if events.get(kind)), default=None)
        off = "no time, as it must be" if self.source == "never" else f"off by {worst:.2f} s" if worst is not None else "-"
        if self.anchor_s is not None:
            off += f"; on the server {self.anchor_s:.1f} s after the agent knew"
        print(f"{'ok  ' if not self.problems else 'FAIL'} {self.name}: {off}")
        for problem in self.problems:
            print(f"     {problem}")
        return not self.problems

    def close(self):
        if self.follower:
            self.follower.close()
        for child in reversed(self.children):
            if child.is_running:
                child.stop(10)


def times(events):
    """{kind: the time shown or stored, its own or resolved} of the fence's first events."""
    found = {}
    for event in sorted(events, key=lambda event: event.get("seq", 0)):
        if event.get("type") in ("enter", "exit"):
            at = event.get("occurred_at") or event.get("resolved_occurred_at")
            found.setdefault(event["type"], moment(at))
    return found


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/clock-matrix", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--tolerance", type=float, default=2,
                        help="seconds off the true moment (2, on a machine that is shared; the bar is 1)")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-clock."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    programs, library, rows, server, right = options.bin.resolve(), folder / "wrong_clock.so", [], None, False
    try:
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", library, TOP / "scripts" / "endtoend" / "wrong_clock.c"],
                       check=True)
        server = FencedServer(programs, folder, "clocks")
        server.make()
        rows = [Row(index, row, programs, folder, library, server) for index, row in enumerate(ROWS)]
        threads = [threading.Thread(target=row.attempt, daemon=True) for row in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        right = all([row.judge(options.tolerance) for row in rows])
    finally:
        for row in rows:
            row.close()
        if server:
            server.child.stop(10)
        if right and not options.keep:
            shutil.rmtree(folder)
        else:
            print(f"kept: {folder}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
