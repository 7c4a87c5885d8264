"""Drives over midnight UTC through a real gpsd, by sentences that hardly ever say the date.

A simulated receiver sends GGA in every epoch and ZDA and RMC only now and then (every 20 s, away from
midnight), as a chart plotter's multiplexer does; the drive enters a fence in the last minute of a day
and leaves it in the first of the next. gpsd reads it from a pty, an agent without a server is its
client. Checked: enter and exit are told once each, at the true moments and on the right days, and the
replay of what was recorded decides the same.

Exit status: 0 right, 1 different, 2 usage.
"""
import argparse
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import tty

from children import Child, Failure, wait_for
from driver import conclude, say, tail
from server import can_connect, free_port

TOP = pathlib.Path(__file__).resolve().parents[2]
LIMIT_S = 20
# A straight way of 600 m at 15 m/s, past a fence of 100 m that lies around its middle.
SPEED_MPS = 15
START = [10.0, 50.0]
END = [10.008373, 50.0]
FENCE = {"type": "Feature", "id": "midnight", "properties": {"radius_m": 100},
         "geometry": {"type": "Point", "coordinates": [10.0041865, 50.0]}}
# At its middle at midnight: speeding up at 2 m/s2 takes it 7.5 s and 56 m.
BEFORE_S = 24
DATED_EVERY_S = 20
TOLERANCE_S = 3.0


class Midnight:
    def __init__(self, options, folder):
        self.options, self.folder, self.children = options, folder, []
        self.midnight = datetime.datetime.now(datetime.timezone.utc).replace(
            hour=0, minute=0, second=0, microsecond=0) + datetime.timedelta(days=1)
        controller, self.line = os.openpty()
        tty.setraw(self.line)
        os.set_blocking(controller, False)
        self.controller = controller

    def program(self, name):
        return pathlib.Path(self.options.bin) / name

    def run(self, name, *arguments):
        return subprocess.run([str(part) for part in (self.program(name), *arguments)],
                              capture_output=True, text=True, timeout=60)

    def write(self, name, content):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    def sentences(self):
        """The sentences of each second, the dated ones left out where they are not due."""
        route = self.write("route.geojson", {
            "type": "Feature", "properties": {"speed_mps": SPEED_MPS},
            "geometry": {"type": "LineString", "coordinates": [START, END]}})
        start = self.midnight - datetime.timedelta(seconds=BEFORE_S)
        made = self.run(
            "geofence-field", "simulate", "--route", route, "--noise", "open", "--seed",
            self.options.seed, "--sentences", "rmc,gga,gsa,zda", "--linger", 7,
            "--start", start.strftime("%Y-%m-%dT%H:%M:%SZ"), "--truth", self.folder / "truth.ndjson")
        if made.returncode:
            raise Failure(made.stderr)
        epochs, last = {}, None
        for sentence in made.stdout.splitlines():
            clock = re.match(r"\$..(?:RMC|GGA|ZDA),(\d{6})", sentence)
            last = clock[1] if clock else last
            epochs.setdefault(last, []).append(sentence)
        result = []
        for number, sentences in enumerate(epochs.values()):
            is_dated = number % DATED_EVERY_S < 2
            result.append([text for text in sentences
                           if is_dated or text[3:6] not in ("RMC", "ZDA")])
        return result

    def start(self):
        self.epochs = self.sentences()
        port = free_port()
        gpsd = Child("gpsd", [self.options.gpsd, "-N", "-n", "-D4", "-S", port,
                              os.ttyname(self.line)], self.folder / "gpsd.log")
        self.children.append(gpsd)
        gpsd.start()
        wait_for(lambda: can_connect(port), "gpsd to listen", self.children, LIMIT_S)
        fences = self.write("fences.geojson", {"type": "FeatureCollection", "features": [FENCE]})
        self.config = self.write("geofenced.yaml", (
            "device: { id: midnight }\n"
            f"receiver: {{ source: gpsd, host: 127.0.0.1, port: {port} }}\n"
            f"fences_file: {fences}\nstate_directory: {self.folder}/state\n"
            f"socket: {self.folder}/control.sock\nrecording: {{ enabled: true }}\n"))
        self.agent = Child("geofenced", [self.program("geofenced"), "run", "--config", self.config],
                           self.folder / "agent.log")
        self.children.append(self.agent)
        self.agent.start()
        wait_for(lambda: "?WATCH=" in gpsd.log(), "the agent to watch", self.children, LIMIT_S)

    def drive(self):
        undated = sum(not any(text[3:6] in ("RMC", "ZDA") for text in epoch) for epoch in self.epochs)
        say(f"midnight: {len(self.epochs)} epochs around {self.midnight:%Y-%m-%dT%H:%M:%SZ}, {undated} of "
            "them without a date")
        began = time.monotonic()
        for number, epoch in enumerate(self.epochs):
            time.sleep(max(0.0, began + number - time.monotonic()))
            # What gpsd asks the receiver is nobody's business here.
            try:
                while os.read(self.controller, 4096):
                    pass
            except BlockingIOError:
                pass
            os.write(self.controller, "".join(text + "\r\n" for text in epoch).encode())
        time.sleep(2)

    def truth(self):
        """When the true track crosses the fence's line, by kind."""
        found, was_inside = {}, False
        for row in map(json.loads, (self.folder / "truth.ndjson").read_text().splitlines()):
            east = (row["lon"] - FENCE["geometry"]["coordinates"][0]) * 71_696
            is_inside = abs(east) <= FENCE["properties"]["radius_m"]
            if is_inside != was_inside:
                found["enter" if is_inside else "exit"] = seconds(row["time"])
            was_inside = is_inside
        return found

    def check(self):
        done = self.run("geofenced", "events", "--json", "--config", self.config)
        events = [row for row in map(json.loads, done.stdout.splitlines())
                  if row["type"] in ("enter", "exit")]
        wrong, truth = [], self.truth()
        if [row["type"] for row in events] != ["enter", "exit"]:
            return [f"midnight: {[row['type'] for row in events]} instead of enter and exit\n"
                    f"{tail(self.agent.log())}"]
        for row in events:
            at, kind = row["occurred_at"], row["type"]
            say(f"midnight: {kind} at {at}, detected at {row['detected_at']}, time quality "
                f"{row['time_quality']}")
            day = self.midnight - datetime.timedelta(days=1 if kind == "enter" else 0)
            if at is None or not at.startswith(f"{day:%Y-%m-%d}T"):
                wrong.append(f"midnight: {kind} at {at}, not on {day:%Y-%m-%d}")
            elif abs(seconds(at) - truth[kind]) > TOLERANCE_S:
                wrong.append(f"midnight: {kind} at {at}, {seconds(at) - truth[kind]:.1f} s off")
            if row["time_quality"] != "gnss":
                wrong.append(f"midnight: {kind} has time quality {row['time_quality']}")
        status, _ = self.agent.stop(10)
        replayed = self.run("geofence-field", "replay", self.folder / "state" / "recordings")
        kinds = [json.loads(line)["type"] for line in replayed.stdout.splitlines()]
        if status or replayed.returncode or kinds != ["enter", "exit"]:
            wrong.append(f"midnight: ended with {status}, replay {replayed.returncode} gave {kinds}: "
                         f"{replayed.stderr}")
        return wrong

    def close(self):
        for child in reversed(self.children):
            if child.is_running:
                child.stop(10)
        os.close(self.controller)
        os.close(self.line)


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def main():
    parser = argparse.ArgumentParser(prog="gpsd_midnight.py", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--gpsd", default="gpsd")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-midnight."))
    return 1 if conclude(Midnight(options, folder), folder, options.keep) else 0


if __name__ == "__main__":
    sys.exit(main())
