"""Drives once past three agents and compares what they tell the server.

                                        +-> pty -> geofenced (serial)
geofence-field simulate -> split of the +-> pty -> gpsd -> geofenced (gpsd)         -> geofence-server
                           line         +-> pty -> gpsd -> geofenced (killed)

The second gpsd is killed (SIGKILL) in mid-drive and started again a few seconds later, several times.
Checked: each agent's events against the true track (check_events.py); those of `gpsd` are those of
`serial`, in the same order, at most 1 s and 5 m apart; those of `killed` are the same, none lost, none
doubled; gpsd's own log shows our client and what it asked for; the receiver as status shows it; the
replay of what was recorded decides the same. Beside it a short drive crosses midnight UTC through a gpsd
of its own, by sentences that hardly ever say the date (gpsd_midnight.py).

Exit status: 0 right, 1 different, 2 usage.
"""
import argparse
import bisect
import datetime
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from children import Child, Failure, LogFollower, departure, tail, wait_for
from driver import LINGER_S, START_LIMIT_S, conclude, say, utc
from linesplit import LineSplit
from server import Server, can_connect, free_port

TOP = pathlib.Path(__file__).resolve().parents[2]
DEVICES = ("serial", "gpsd", "killed")
MAX_APART_S, MAX_APART_M = 1.0, 5.0
EARTH_M = 6_371_008.8


class Agent:
    """One agent with its own configuration, state and log."""

    def __init__(self, drive, name, receiver):
        self.name, self.folder = name, drive.folder / f"agent-{name}"
        self.folder.mkdir()
        self.config = self.folder / "geofenced.yaml"
        self.config.write_text(
            f"server:\n  url: http://127.0.0.1:{drive.server_port}\n"
            f"  key_file: {drive.folder}/device-key\ndevice:\n  id: {name}\n"
            f"receiver: {receiver}\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 1 }\nrecording: { enabled: true }\n")
        self.log_path = self.folder / "log"
        self.child = Child(f"geofenced {name}", [drive.program("geofenced"), "run", "--config",
                                                 self.config], self.log_path)

    def status(self, drive):
        """What it tells of itself; a text where it does not."""
        done = drive.run("geofenced", "status", "--json", "--config", self.config, check=False)
        return json.loads(done.stdout) if done.stdout.strip() else f"status: {done.stderr.strip()}"


class GPSD:
    """A real gpsd in the foreground, for one line."""

    def __init__(self, drive, name, line):
        self.port = free_port()
        self.log_path = drive.folder / f"{name}.gpsd.log"
        self.child = Child(name, [drive.gpsd, "-N", "-n", "-D4", "-S", self.port, line],
                           self.log_path)

    def start(self):
        self.child.start()
        deadline = time.monotonic() + START_LIMIT_S
        while not can_connect(self.port):
            if not self.child.is_running or time.monotonic() > deadline:
                raise Failure(f"gpsd does not listen:\n{tail(self.child.log())}")
            time.sleep(0.02)


class Drive:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.gpsd = options.gpsd
        self.server_port = free_port()
        self.children, self.agents, self.split, self.followers = [], {}, None, []
        self.departure = self.route_s = None
        self.blind, self.midnight = [], None

    def program(self, name):
        path = pathlib.Path(self.options.bin) / name
        if not os.access(path, os.X_OK):
            raise Failure(f"{path} is not built")
        return path

    def run(self, name, *arguments, check=True):
        command = [str(part) for part in (self.program(name), *arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        if check and done.returncode:
            raise Failure(f"{' '.join(command)}: {done.returncode}: {done.stderr.strip()}")
        return done

    def start(self):
        # It takes less than a minute, and ends with its own status: not among the children.
        self.midnight = Child("midnight", [
            sys.executable, TOP / "scripts" / "endtoend" / "gpsd_midnight.py", "--bin",
            self.options.bin, "--gpsd", self.gpsd], self.folder / "midnight.log")
        self.midnight.start()
        self.start_server()
        self.start_receiver()
        lines = self.split.paths
        self.steady = GPSD(self, "steady", lines["gpsd"])
        self.mortal = GPSD(self, "mortal", lines["killed"])
        for gpsd in (self.steady, self.mortal):
            self.children.append(gpsd.child)
            gpsd.start()
        receivers = {
            "serial": f"{{ source: serial, path: {lines['serial']}, baud: 9600 }}",
            "gpsd": f"{{ source: gpsd, host: 127.0.0.1, port: {self.steady.port} }}",
            "killed": f"{{ source: gpsd, host: localhost, port: {self.mortal.port} }}"}
        for name, receiver in receivers.items():
            agent = self.agents[name] = Agent(self, name, receiver)
            self.children.append(agent.child)
            agent.child.start()
        self.followers.append(LogFollower(self.agents["killed"].log_path, self.killed_says))
        self.await_(lambda: self.departure is not None, "the drive to depart")

    def start_server(self):
        server = Server(self.program("geofence-server").parent, self.folder, "gpsd", port=self.server_port)
        self.children.append(server.child)
        server.make()
        self.ask("PUT", "/v1/admin/fences.geojson", self.options.fences.read_bytes())

    def start_receiver(self):
        receiver = Child("simulate", [
            self.program("geofence-field"), "simulate", "--route", self.options.route, "--seed",
            self.options.seed, "--noise", self.options.noise, "--baud", 9600, "--pty",
            self.folder / "receiver", "--truth", self.folder / "truth.ndjson",
            "--wait-for-reader", "--linger", LINGER_S], self.folder / "simulate.log")
        self.children.append(receiver)
        receiver.start()
        self.followers.append(LogFollower(receiver.log_path, self.receiver_says))
        self.await_((self.folder / "receiver").is_symlink, "the receiver's port")
        self.split = LineSplit(self.folder / "receiver", self.folder, DEVICES)

    def ask(self, method, path, body=None):
        key = (self.folder / "admin-key").read_text().strip()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.server_port}{path}", body, method=method,
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/geo+json"})
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=30) as answer:
            return answer.read()

    def await_(self, condition, what):
        wait_for(condition, what, self.children, START_LIMIT_S)

    def receiver_says(self, _, line):
        found = departure(line)
        if found:
            self.route_s, self.departure = found

    def killed_says(self, now, line):
        if line.endswith("receiver fix") and self.blind and self.blind[-1][1] is None:
            self.blind[-1][1] = now

    # The drive

    def drive(self):
        """Kills gpsd at equal distances, away from start and end."""
        count = self.options.kills
        for number in range(count):
            at = 25 + (self.route_s - 45) * (number + 0.5) / count
            self.sleep_until(self.departure + at)
            say(f"{at:6.1f} s  gpsd killed")
            self.blind.append([time.time(), None])
            self.mortal.child.kill()
            self.sleep_until(self.departure + at + self.options.down)
            self.mortal.start()
        self.sleep_until(self.departure + self.route_s + 6)
        self.drain()

    @staticmethod
    def sleep_until(moment):
        while time.time() < moment:
            time.sleep(min(0.05, max(0.001, moment - time.time())))

    def drain(self):
        deadline = time.monotonic() + 60
        for agent in self.agents.values():
            while True:
                status = agent.status(self)
                if isinstance(status, dict) and status["queue"]["pending"] == 0:
                    break
                if time.monotonic() > deadline:
                    raise Failure(f"{agent.name}: the queue is not empty: {status}\n"
                                  f"{tail(agent.child.log())}")
                time.sleep(0.5)
            say(f"{agent.name}: {json.dumps(status['receiver'])}")
            say(f"{agent.name}: {cpu(agent.child.process.pid):.2f} s of CPU in "
                f"{status['running_s']:.0f} s")
            agent.final = status
        say(f"gpsd: {cpu(self.steady.child.process.pid):.2f} s of CPU")

    # The checks

    def check(self):
        wrong = []
        told = {name: self.events(name) for name in DEVICES}
        wrong += [problem for name in DEVICES for problem in self.check_truth(name)]
        track = Track(self.folder / "truth.ndjson")
        wrong += compare("gpsd", told["gpsd"], told["serial"], track, MAX_APART_S, MAX_APART_M)
        wrong += compare("killed", told["killed"], told["serial"], track, None, None)
        wrong += self.check_log() + self.check_status() + self.check_midnight()
        for name in ("gpsd", "killed"):
            wrong += self.check_recording(self.agents[name])
        return wrong

    def check_recording(self, agent):
        """gpsd's lines and fixes are recorded, and the replay gives the decisions that were made."""
        status, _ = agent.child.stop(35)
        folder = agent.folder / "state" / "recordings"
        kinds, held = {}, []
        for path in sorted(folder.iterdir()):
            for line in path.read_text().splitlines():
                record = json.loads(line)
                kinds[record["k"]] = kinds.get(record["k"], 0) + 1
                if record["k"] == "decision":
                    held.append((record["type"], record["fence_id"], record["detected_at"]))
        done = self.run("geofence-field", "replay", folder, check=False)
        replayed = [(row["type"], row["fence_id"], row["detected_at"])
                    for row in map(json.loads, done.stdout.splitlines())]
        say(f"{agent.name}: ended with {status}; recorded {kinds}; {len(replayed)} decisions "
            f"replayed: {done.stderr.strip()}")
        if status or done.returncode or replayed != held or not held:
            return [f"{agent.name}: replay gave {done.returncode} and {replayed}, not {held}"]
        if not kinds.get("report") or not kinds.get("fix") or kinds.get("raw"):
            return [f"{agent.name}: recorded {kinds}"]
        return []

    def events(self, device):
        rows, cursor = [], ""
        while cursor is not None:
            query = f"/v1/admin/events?limit=200{f'&cursor={cursor}' if cursor else ''}"
            page = json.loads(self.ask("GET", query))
            rows += page["events"]
            cursor = page.get("next") if page["events"] else None
        own = [row.get("event", row) | {"of": row.get("device_id")} for row in rows]
        own = [row for row in own if (row["of"] or row.get("device_id")) == device]
        return sorted(own, key=lambda row: (row.get("queue_epoch", ""), int(row["seq"])))

    def check_truth(self, device):
        truth = self.folder / "truth-until-now.ndjson"
        now = utc(time.time())
        with open(self.folder / "truth.ndjson") as source, open(truth, "w") as target:
            target.writelines(line for line in source if json.loads(line)["time"] <= now)
        blind = self.folder / f"blind-{device}.ndjson"
        rows = [(dark, light or time.time()) for dark, light in self.blind]
        blind.write_text("".join(json.dumps({"from": utc(dark), "to": utc(light)}) + "\n"
                                 for dark, light in rows if device == "killed"))
        say(f"{device} against the true track:")
        status = subprocess.run(
            [sys.executable, TOP / "scripts" / "oracle" / "check_events.py", "--truth", truth,
             "--fences", self.options.fences, "--server", f"http://127.0.0.1:{self.server_port}",
             "--key-file", self.folder / "admin-key", "--device", device, "--blind", blind,
             "--default-dwell", "300", "--tolerance", str(self.options.tolerance)]).returncode
        return [f"{device} differs from the true track"] if status else []

    def check_log(self):
        """gpsd's own record of its client."""
        wrong = []
        for gpsd, agent in ((self.steady, "gpsd"), (self.mortal, "killed")):
            log = gpsd.child.log()
            asked = re.findall(r'<= client\(\d+\): (\?\S+)', log)
            watches = [line for line in asked if line.startswith('?WATCH={"enable":true')]
            starts = gpsd.child.starts
            openings = self.agents[agent].final["receiver"]["openings"]
            say(f"{gpsd.child.name} gpsd: started {starts} times, its log has {len(watches)} WATCH "
                f"of our client, which connected {openings} times: {watches[:1]}")
            if len(watches) < starts or len(watches) != openings:
                wrong.append(f"the log of gpsd shows {len(watches)} WATCH for {openings} openings")
            if any("device" in line for line in watches):
                wrong.append(f"WATCH is filtered: {watches}")
        return wrong

    def check_midnight(self):
        status = self.midnight.process.wait(60)
        for line in self.midnight.log().splitlines():
            say(line.removeprefix("end-to-end: "))
        return [f"the drive over midnight ended with {status}"] if status else []

    def check_status(self):
        wrong = []
        for name in ("gpsd", "killed"):
            receiver = self.agents[name].final["receiver"]
            if receiver["state"] != "fix" or not receiver["gpsd"]["fixes"]:
                wrong.append(f"{name}: status says {receiver}")
            if receiver["gpsd"]["malformed"] or receiver["dropped"]:
                wrong.append(f"{name}: reports of a real gpsd were refused or dropped: {receiver}")
        lost = self.agents["killed"].final["receiver"]["hang_ups"]
        if lost < self.options.kills:
            wrong.append(f"gpsd was killed {self.options.kills} times, {lost} were noticed")
        return wrong

    def close(self):
        for follower in self.followers:
            follower.close()
        for child in [*reversed(self.children), *([self.midnight] if self.midnight else [])]:
            if child.is_running:
                child.stop(10)
        if self.split:
            self.split.close()


class Track:
    """Where the vehicle truly was."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        self.rows = [(seconds(row["time"]), row) for row in rows]
        self.times = [time for time, _ in self.rows]

    def place(self, at):
        return self.rows[min(bisect.bisect_left(self.times, at), len(self.rows) - 1)][1]


def compare(name, told, serial, track, apart_s, apart_m):
    """Each event of one agent against that of the serial run; None: any distance.

    Both are held to where the vehicle was when it happened. Where both decided in the same epoch, their
    positions are compared, too; the margin of an exit must hold for 2 s of uptime, which some
    milliseconds more or less make one epoch more or less.
    """
    story = [(row["type"], row.get("fence_id")) for row in told]
    wanted = [(row["type"], row.get("fence_id")) for row in serial]
    if story != wanted:
        return [f"{name}: {story} instead of {wanted}"]
    wrong, worst_s, worst_m, same = [], 0.0, 0.0, 0
    for row, other in zip(told, serial):
        apart = abs(moment(row, "occurred_at") - moment(other, "occurred_at"))
        meters = distance(track.place(moment(row, "occurred_at")),
                          track.place(moment(other, "occurred_at")))
        if abs(moment(row, "detected_at") - moment(other, "detected_at")) < 0.5:
            same += 1
            meters = max(meters, distance(row.get("position"), other.get("position")))
        worst_s, worst_m = max(worst_s, apart), max(worst_m, meters)
        if apart_s is not None and (apart > apart_s or meters > apart_m):
            wrong.append(f"{name}: {row['type']} {row.get('fence_id')} is {apart:.2f} s and "
                         f"{meters:.2f} m from the serial run")
    say(f"{name}: {len(told)} events in the order of the serial run, at most {worst_s:.3f} s and "
        f"{worst_m:.3f} m apart, {same} decided in the same epoch")
    return wrong


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def moment(row, key):
    return seconds(row.get(key) or row[f"resolved_{key}"])


def distance(first, second):
    """Metres between two positions; 0 where neither event has one."""
    if not first and not second:
        return 0.0
    if not first or not second:
        return math.inf
    latitude = math.radians((first["lat"] + second["lat"]) / 2)
    north = math.radians(first["lat"] - second["lat"])
    east = math.radians(first["lon"] - second["lon"]) * math.cos(latitude)
    return EARTH_M * math.hypot(north, east)


def cpu(pid):
    """User and system time of a process, seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/gpsd-drive", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    drive = TOP / "scripts" / "quickstart-data"
    parser.add_argument("--route", type=pathlib.Path, default=drive / "route.geojson")
    parser.add_argument("--fences", type=pathlib.Path, default=drive / "fences.geojson")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", default="open",
                        choices=("none", "open", "suburb", "urban", "canyon"))
    parser.add_argument("--kills", type=int, default=2, help="SIGKILLs of the second gpsd")
    parser.add_argument("--down", type=float, default=3, help="seconds until it is started again")
    parser.add_argument("--tolerance", type=float, default=3, help="seconds off the true moment")
    parser.add_argument("--bin", default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    # Debian has it where only root looks.
    options.gpsd = shutil.which("gpsd", path=os.environ.get("PATH", "") + ":/usr/sbin")
    if options.gpsd is None:
        parser.error("gpsd is not installed (apt-get install gpsd)")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-gpsd."))
    say(f"in {folder}")
    wrong = conclude(Drive(options, folder), folder, options.keep)
    say("passed" if not wrong else f"{len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
