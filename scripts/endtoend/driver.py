"""Runs the real programs through a drive while nearly everything goes wrong, and checks the result.

geofence-field simulate -> pty at 9600 baud -> geofenced -> fault proxy -> geofence-server

During the drive the agent is killed (SIGKILL) at seeded moments and started again at once, the server
is killed for a while and stopped (SIGSTOP) for a while, the receiver is unplugged and comes back under
another name, and the proxy loses some answers after the server has committed.  A fence beside
the way comes and moves.  At the end the queue drains, check_events.py compares what the server has with
what the true track makes of the fences, and the replay of the agent's recordings must give the decisions
that they hold.

Exit status: 0 right, 1 different, 2 usage, 6 the run proves nothing (no answer was lost).
"""
import argparse
import datetime
import json
import os
import pathlib
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from children import Child, Failure, LogFollower, departure, tail, wait_for
from proxy import FaultProxy
from server import Server, free_port
from timeline import Timeline

TOP = pathlib.Path(__file__).resolve().parents[2]
DEVICE = "end-to-end"
START_LIMIT_S = 30
LINGER_S = 3600
EXPLAIN_EVERY_S = 9
INCONCLUSIVE = 6


class Bench:
    """The programs of one run in one folder."""

    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.changes = self.marks = 0
        self.blind, self.blind_since, self.departure, self.route_s = [], None, None, None
        self.server_port = free_port()
        self.children = []
        self.proxy = None
        self.follower = None

    # Programs

    def program(self, name):
        path = pathlib.Path(self.options.bin) / name
        if not os.access(path, os.X_OK):
            raise Failure(f"{path} is not built")
        return path

    def child(self, name, *arguments):
        child = Child(name, [self.program(name), *arguments], self.folder / f"{name}.log")
        self.children.append(child)
        child.start()
        return child

    def start_server(self):
        server = Server(self.program("geofence-server").parent, self.folder, "e2e", port=self.server_port)
        self.server = server.child
        self.children.append(server.child)
        server.make()
        self.put_fences()
        self.proxy = FaultProxy(self.server_port, self.options.drops, self.options.seed)

    def put_fences(self, content=None):
        key = (self.folder / "admin-key").read_text().strip()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.server_port}/v1/admin/fences.geojson",
            content or self.options.fences.read_bytes(), method="PUT",
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/geo+json"})
        # No proxy: the server of a test stands on loopback.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            opener.open(request, timeout=30).close()
        except urllib.error.HTTPError as error:
            raise Failure(f"the server refused {self.options.fences}: {error} "
                          f"{error.read().decode(errors='replace')}") from error

    def start_receiver(self):
        arguments = ["simulate", "--route", self.options.route, "--seed", self.options.seed,
                     "--noise", self.options.noise, "--rate", self.options.rate, "--baud", 9600,
                     "--pty", self.folder / "receiver", "--truth", self.folder / "truth.ndjson",
                     "--wait-for-reader", "--linger", LINGER_S]
        if self.options.speedless:
            arguments += ["--sentences", "gga,gsa,gsv,zda"]
        self.receiver = self.child("geofence-field", *arguments)
        self.follower = LogFollower(self.receiver.log_path, self.receiver_says)
        self.await_((self.folder / "receiver").is_symlink, "the receiver's port", self.receiver)

    def start_agent(self):
        config = self.folder / "geofenced.yaml"
        config.write_text(
            f"server:\n  url: http://127.0.0.1:{self.proxy.port}\n"
            f"  key_file: {self.folder}/device-key\n"
            f"device:\n  id: {DEVICE}\n"
            f"receiver:\n  source: serial\n  path: {self.folder}/receiver\n  baud: 9600\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 1 }\nrecording: { enabled: true }\nlog_level: debug\n")
        runtime = self.folder / "run"
        runtime.mkdir(mode=0o700)
        os.environ["RUNTIME_DIRECTORY"] = str(runtime)
        self.agent = self.child("geofenced", "run", "--config", config)
        self.await_(lambda: self.departure is not None, "the drive to depart", self.agent)

    def run(self, name, *arguments, check=True):
        command = [str(part) for part in (self.program(name), *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if check and done.returncode:
            raise Failure(f"{' '.join(command)}: {done.returncode}: {done.stderr.strip()}")
        return done

    def await_(self, condition, what, child):
        wait_for(condition, what, [child], START_LIMIT_S, story=lambda: tail(child.log()))

    # What the receiver says about its port is when the agent could not hear it.

    def receiver_says(self, now, line):
        found = departure(line)
        if found:
            self.route_s, self.departure = found
        elif line.endswith((" was closed", " is unplugged")) and self.blind_since is None:
            self.blind_since = now
        elif line.endswith(" was opened") and self.blind_since is not None:
            self.blind.append((self.blind_since, now))
            self.blind_since = None

    # Faults

    def act(self, action):
        if action == "agent kill":
            # A dead agent is a defect of its own; say so instead of killing it again.
            if not self.agent.is_running:
                raise Failure(f"geofenced ended by itself:\n{tail(self.agent.log())}")
            self.agent.kill()
            self.agent.start()
        elif action == "server kill":
            self.server.kill()
        elif action == "server start":
            self.server.start()
        elif action == "server stop":
            self.server.send(signal.SIGSTOP)
        elif action == "server continue":
            self.server.send(signal.SIGCONT)
        elif action == "fence":
            self.put_fences(self.fence_beside_the_way())
        elif action == "explain":
            self.explain_fences()
        elif action == "mark":
            done = self.run("geofenced", "mark", "end to end", "--config",
                            self.folder / "geofenced.yaml", check=False)
            self.marks += done.returncode == 0
        elif action == "unplug":
            self.receiver.send(signal.SIGUSR1)
        elif action == "replug":
            self.receiver.send(signal.SIGUSR2)

    def explain_fences(self):
        """What the agent says about every fence now; nothing where it was just killed."""
        for feature in json.loads(self.options.fences.read_text())["features"]:
            self.explain("fences", "explain", feature["id"])

    def explain(self, *words):
        done = self.run("geofenced", *words, "--json", "--config",
                        self.folder / "geofenced.yaml", check=False)
        if done.returncode == 0:
            with open(self.folder / "explanations.ndjson", "a") as file:
                file.write(done.stdout.strip() + "\n")

    def explain_events(self):
        lines = self.run("geofenced", "events", "--json", "--limit", "1000", "--config",
                         self.folder / "geofenced.yaml").stdout.splitlines()
        for event in map(json.loads, lines):
            self.explain("explain", event["client_event_id"])

    def check_journal(self):
        """No line of the agent's log, at its most talkative, says where the device is."""
        wholes = {str(int(number)) for feature in
                  json.loads(self.options.fences.read_text())["features"] + [
                      json.loads(self.options.route.read_text())]
                  for number in numbers(feature["geometry"]["coordinates"])}
        place = re.compile(r"(?<![\d.])(" + "|".join(sorted(wholes)) + r")\.\d{3,}")
        log = self.agent.log()
        told = [line for line in log.splitlines() if place.search(line)]
        if told:
            raise Failure(f"a coordinate in the journal: {told[0]}")
        if "asking for fences" not in log:
            raise Failure("the log is not at its most talkative")

    def check_continuations(self):
        """Each process that followed a killed one went on from the snapshot that it left."""
        continued = self.agent.log().count("goes on where the process before was")
        say(f"{continued} of {self.agent.starts - 1} restarts lost nothing")
        if continued != self.agent.starts - 1:
            raise Failure("a process did not find what the killed one had left")

    def check_explanations(self):
        """The numbers that were said, recomputed from the recordings by other means."""
        return subprocess.run(
            [sys.executable, TOP / "scripts" / "oracle" / "check_explanations.py",
             "--recordings", self.folder / "state" / "recordings",
             self.folder / "explanations.ndjson"]).returncode

    def fence_beside_the_way(self):
        """The fences, and one that nobody comes near, elsewhere each time: the set changes."""
        self.changes += 1
        x, y = json.loads(self.options.route.read_text())["geometry"]["coordinates"][0]
        document = json.loads(self.options.fences.read_text())
        document["features"].append({
            "type": "Feature", "id": "beside", "properties": {"name": "beside", "radius_m": 50},
            "geometry": {"type": "Point", "coordinates": [x, y + 0.05 + 0.01 * self.changes]}})
        return json.dumps(document).encode()

    def drive(self):
        timeline = Timeline(self.options.seed, self.route_s, self.options.kills,
                            not self.options.no_faults)
        steps = sorted(timeline.steps + [
            (share * self.route_s, action) for share, action in
            ((0.12, "fence"), (0.4, "mark"), (0.55, "mark"), (0.6, "fence"), (0.9, "mark"))]
            + [(at, "explain") for at in range(15, self.route_s, EXPLAIN_EVERY_S)])
        say(f"drive of {self.route_s} s: "
            + ", ".join(f"{action} {at:.1f}" for at, action in steps if action != "explain"))
        for at, action in steps:
            self.sleep_until(self.departure + at)
            if action != "explain":
                say(f"{time.time() - self.departure:6.1f} s  {action}")
            self.act(action)
        self.sleep_until(self.departure + self.route_s + 1)

    def sleep_until(self, moment):
        while time.time() < moment:
            time.sleep(min(0.05, max(0.001, moment - time.time())))

    # The end

    def drain(self):
        """Waits until the agent has nothing to send; gives its last status."""
        # The last crossing is confirmed by positions after it.
        time.sleep(5)
        began, status = time.monotonic(), None
        while time.monotonic() - began < self.options.drain:
            done = self.run("geofenced", "status", "--json", "--config",
                            self.folder / "geofenced.yaml", check=False)
            if done.stdout.strip():
                status = json.loads(done.stdout)
                if status["queue"]["pending"] == 0:
                    say(f"the queue is empty after {time.monotonic() - began:.1f} s")
                    return status
            time.sleep(0.5)
        raise Failure(f"the queue is not empty after {self.options.drain} s: {status}")

    def check_balance(self, status):
        """enqueued = acknowledged + pending + dead + evicted, and nothing lost on the way."""
        queue = status["queue"]
        names = ("acknowledged", "pending", "dead", "evicted")
        if all(name in queue for name in ("enqueued", *names)):
            if queue["enqueued"] != sum(queue[name] for name in names):
                raise Failure(f"the queue's counts do not add up: {queue}")
        if queue.get("dead") or queue.get("evicted"):
            raise Failure(f"events were lost: {queue}")
        if self.proxy.refused:
            raise Failure(f"the server refused: {self.proxy.refused[:3]}")

    def check_local(self):
        """The agent's own record and the server's hold the same events in the same order."""
        lines = self.run("geofenced", "events", "--json", "--limit", "1000", "--config",
                         self.folder / "geofenced.yaml").stdout.splitlines()
        local = [json.loads(line)["client_event_id"] for line in lines]
        database = sqlite3.connect(f"file:{self.folder}/server.db?mode=ro", uri=True)
        stored = [row[0] for row in database.execute(
            "SELECT client_event_id FROM events ORDER BY epoch, seq")]
        database.close()
        if local != stored:
            raise Failure(f"the agent recorded {len(local)} events, the server stored "
                          f"{len(stored)}; lost {sorted(set(local) - set(stored))[:5]}, "
                          f"unknown {sorted(set(stored) - set(local))[:5]}")

    def check_events(self):
        blind = self.folder / "blind.ndjson"
        rows = self.blind + ([(self.blind_since, time.time())] if self.blind_since else [])
        blind.write_text("".join(
            json.dumps({"from": utc(dark), "to": utc(light)}) + "\n" for dark, light in rows))
        return subprocess.run(
            [sys.executable, TOP / "scripts" / "oracle" / "check_events.py",
             "--truth", self.truncated_truth(), "--fences", self.options.fences,
             "--server", f"http://127.0.0.1:{self.server_port}",
             "--key-file", self.folder / "admin-key", "--device", DEVICE, "--blind", blind,
             "--default-dwell", "300", "--tolerance", str(self.options.tolerance),
             "--json", self.folder / "result.json"]).returncode

    def truncated_truth(self):
        """The truth until now: the receiver lingers longer than anybody waits."""
        now, path = utc(time.time()), self.folder / "truth-until-now.ndjson"
        with open(self.folder / "truth.ndjson") as source, open(path, "w") as target:
            target.writelines(line for line in source if json.loads(line)["time"] <= now)
        return path

    def stop(self):
        """Ends the agent in order; gives what was wrong about it."""
        status, seconds = self.agent.stop(35)
        say(f"geofenced ended with {status} after {seconds:.1f} s")
        return [] if status == 0 else [f"geofenced ended with {status}"]

    def check_recording(self):
        """The replay of what was recorded gives the decisions that the recordings hold."""
        recordings = self.folder / "state" / "recordings"
        held, kinds = [], {}
        for path in sorted(recordings.iterdir()):
            if oct(path.stat().st_mode & 0o777) != "0o600":
                raise Failure(f"{path} has mode {oct(path.stat().st_mode)}")
            for line in path.read_text().splitlines(keepends=True):
                # A killed process may have left half a line behind.
                if not line.endswith("\n"):
                    continue
                record = json.loads(line)
                kinds[record["k"]] = kinds.get(record["k"], 0) + 1
                if record["k"] == "decision":
                    held.append(payload(line))
        done = self.run("geofence-field", "replay", recordings, check=False)
        if done.returncode:
            raise Failure(f"replay of {recordings}: {done.returncode}: {done.stderr.strip()}")
        replayed = done.stdout.splitlines()
        cut_off = re.search(r"(\d+) decisions of a last input", done.stderr)
        if len(replayed) - len(held) != (int(cut_off[1]) if cut_off else 0):
            raise Failure(f"{len(held)} decisions recorded, {len(replayed)} replayed")
        rest = iter(replayed)
        if not all(line in rest for line in held):
            raise Failure("the replay's decisions are not the recorded ones, byte for byte")
        if not held or kinds.get("mark", 0) < min(1, self.marks) or kinds["fences"] < 3:
            raise Failure(f"recordings of nothing: {kinds}")
        say(f"recordings: {kinds}; {self.marks} marks; {len(replayed)} decisions replayed, "
            + done.stderr.strip().replace("\n", "; "))

    def close(self):
        if self.follower:
            self.follower.close()
        for child in reversed(self.children):
            if child.is_running:
                child.send(signal.SIGCONT)
                child.stop(10)
        if self.proxy:
            self.proxy.close()


def numbers(coordinates):
    if isinstance(coordinates, list):
        return [number for part in coordinates for number in numbers(part)]
    return [coordinates]


def payload(line):
    """A decision's record without the members that all records have: their values hold no comma."""
    return re.sub(r',?"(io|k|m|u)":("[^"]*"|\d+)', "", line.strip()).replace("{,", "{")


def say(text):
    print(f"end-to-end: {text}", file=sys.stderr, flush=True)


def utc(moment):
    at = datetime.datetime.fromtimestamp(moment, datetime.timezone.utc)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def conclude(drive, folder, keep):
    """A drive from its start to its end; gives what was wrong, and removes the folder where nothing was."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    wrong = [f"{type(drive).__name__}: the drive did not come to its end"]
    try:
        drive.start()
        drive.drive()
        wrong = drive.check()
    except (Failure, ValueError, KeyError, OSError, subprocess.SubprocessError) as error:
        wrong.append(f"{error!r}")
    finally:
        drive.close()
    for text in wrong:
        say(f"DIFFERENCE {text}")
    if keep or wrong:
        say(f"kept: {folder}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong


def run(options, folder):
    bench = Bench(options, folder)
    try:
        bench.start_server()
        bench.start_receiver()
        bench.start_agent()
        bench.drive()
        status = bench.drain()
        difference = bench.check_events()
        bench.check_balance(status)
        bench.check_local()
        bench.explain_events()
        wrong = bench.stop()
        bench.check_journal()
        bench.check_continuations()
        bench.check_recording()
        difference = bench.check_explanations() or difference
    finally:
        bench.close()
    proxy = bench.proxy
    say(f"agent started {bench.agent.starts} times, server {bench.server.starts}; batches "
        f"{proxy.batches}, answers lost {proxy.dropped}, accepted {proxy.accepted}, duplicate "
        f"{proxy.duplicates}, unreachable {proxy.unreachable}; blind {len(bench.blind)} times, "
        f"{sum(light - dark for dark, light in bench.blind):.1f} s")
    for text in wrong:
        say(text)
    if difference or wrong:
        return 1
    if options.drops and not proxy.duplicates:
        say("no answer was lost in a way that made a duplicate: this run proves nothing")
        return INCONCLUSIVE
    return 0


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/end-to-end", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    drives = TOP / "Tests" / "Fixtures" / "drives"
    parser.add_argument("--route", type=pathlib.Path, default=drives / "town.geojson")
    parser.add_argument("--fences", type=pathlib.Path, default=drives / "town-fences.geojson")
    parser.add_argument("--seed", type=int, default=None, help="default: random, and printed")
    parser.add_argument("--noise", default="none",
                        choices=("none", "open", "suburb", "urban", "canyon"))
    parser.add_argument("--rate", type=float, default=1, help="positions a second")
    parser.add_argument("--speedless", action="store_true", help="a receiver without RMC and VTG")
    parser.add_argument("--kills", type=int, default=20, help="SIGKILLs of the agent")
    parser.add_argument("--drops", type=int, default=3, help="answers lost after the commit")
    parser.add_argument("--no-faults", action="store_true",
                        help="neither server outages nor an unplugged receiver")
    parser.add_argument("--tolerance", type=float, help="seconds off the true moment (default: 3, "
                        "urban 6, canyon 10: a position error takes that long to drive)")
    parser.add_argument("--drain", type=float, default=400, help="longest wait for the queue, s")
    parser.add_argument("--bin", default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    if options.tolerance is None:
        options.tolerance = {"urban": 6, "canyon": 10}.get(options.noise, 3)
    for path in (options.route, options.fences):
        if not path.is_file():
            parser.error(f"{path} does not exist")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-e2e."))
    say(f"seed {options.seed}, in {folder}")
    # What ends the driver must also end what it started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    status = 1
    try:
        status = run(options, folder)
    except (Failure, ValueError, subprocess.SubprocessError) as error:
        say(f"FAILED: {error}")
    finally:
        if options.keep or status:
            say(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say(f"seed {options.seed}: {'passed' if status == 0 else f'exit {status}'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
