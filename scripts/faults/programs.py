"""The real agent and the real server of the fault harnesses, on a drive that makes many events a second."""
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endtoend"))
import server  # noqa: E402
from children import Child, Failure, enclosed, skipped, tail, wait_for  # noqa: E402
from driver import TOP  # noqa: E402

__all__ = ["EAST", "METER", "SOUND", "TOP", "Agent", "Child", "Failure", "Server", "balance", "degrees", "enclosed",
           "look", "read", "sentence", "skipped", "tail", "wait_for", "write_drive"]

LIMIT_S = 120
FLUSH_S = 600
# The doctor: the queue is sound, its counts add up and match its rows.
SOUND = {"D-QUEUE-00", "D-COUNT-00"}
METER = 1 / 111_195  # degrees of latitude
LEG_M, SPEED_MPS = 1200, 30
EAST = 11.5
# A told event: the line that the agent writes right after the COMMIT of the event has returned.
TOLD = re.compile(r"^notice: event (\d+) (\w+)(?: fence (\S+))?$", re.MULTILINE)


def fences():
    """18 circles along the way, as many as are monitored at once: arrivals, drive-throughs, visits."""
    def circle(name, meters, radius, transitions, **more):
        return {"type": "Feature", "id": name,
                "properties": {"name": name, "radius_m": radius, "transitions": transitions, **more},
                "geometry": {"type": "Point", "coordinates": [EAST, 48 + meters * METER]}}

    features = [circle(f"stop-{i}", 50 + i * 100, 70, ["enter", "exit"]) for i in range(12)]
    # Between two positions of the drive.
    features += [circle(f"gate-{i}", 225 + i * 390, 12, ["pass"]) for i in range(3)]
    features += [circle(f"area-{i}", 200 + i * 400, 190, ["enter", "exit", "dwell"], dwell_s=8) for i in range(3)]
    return {"type": "FeatureCollection", "features": features}


def sentence(body):
    checksum = 0
    for byte in body.encode():
        checksum ^= byte
    return f"${body}*{checksum:02X}\r\n"


def degrees(value, width):
    whole = int(value)
    return f"{whole:0{width}d}{(value - whole) * 60:08.5f}"


def write_drive(path, seconds):
    """NMEA of a drive up and down the way, one position a second; it starts a week ago."""
    start = int(time.time()) - 7 * 86_400
    with open(path, "w") as file:
        for second in range(seconds):
            place = second * SPEED_MPS % (2 * LEG_M)
            up = place < LEG_M
            latitude = degrees(48 + (place if up else 2 * LEG_M - place) * METER, 2)
            moment = time.gmtime(start + second)
            clock, date = time.strftime("%H%M%S.00", moment), time.strftime("%d%m%y", moment)
            where = f"{latitude},N,{degrees(EAST, 3)},E"
            file.write(sentence(f"GPRMC,{clock},A,{where},058.3,{'000.0' if up else '180.0'},{date},,,A"))
            file.write(sentence(f"GPGGA,{clock},{where},1,10,0.7,500.0,M,45.0,M,,"))


class Server(server.Server):
    """geofence-server with the fences of the drive, and its database wherever it is told to be."""

    def __init__(self, programs, folder, database=None, fences=None):
        super().__init__(programs, folder, "faults", database)
        self.fences = fences

    def make(self):
        super().make(self.fences or fences())

    def events(self, device):
        """(epoch, seq, type, fence, document) of one device's events as they are stored."""
        return read(self.database, """
            SELECT epochs.epoch, events.seq, events.type, events.fence_id, events.document FROM events
            JOIN epochs ON epochs.id = events.epoch JOIN devices ON devices.id = events.device
            WHERE devices.device_id = ? ORDER BY epochs.ordinal, events.seq""", device)


class Agent:
    """geofenced on a recorded drive whose time passes `speed` times as fast."""

    def __init__(self, programs, folder, state, server, drive, device, speed=300, preload=None,
                 more=""):
        self.programs, self.state = programs, state
        self.configuration = folder / f"{device}.yaml"
        self.configuration.write_text(
            f"device: {{ id: {device} }}\n"
            f"server: {{ url: \"http://127.0.0.1:{server.port}\", key_file: {server.device_key} }}\n"
            f"receiver: {{ source: file, path: {drive}, speed: {speed} }}\n"
            f"state_directory: {state}\nsocket: {folder}/{device}.sock\n"
            f"upload: {{ interval_s: 0 }}\n{more}")
        run = [programs / "geofenced", "run", "--config", self.configuration]
        if preload:
            run = ["env", *(f"{name}={value}" for name, value in preload.items()), *run]
        self.child = Child("geofenced", run, folder / f"{device}.log")
        self.mark = 0

    def start(self):
        """Starts it and waits until its queue is open."""
        self.mark = len(self.child.log())
        self.child.start()
        wait_for(lambda: "ready, control socket" in self.since(), "geofenced to be ready", [self.child], LIMIT_S,
                 story=lambda: tail(self.child.log()))

    def since(self):
        """What it has logged since its last start."""
        return self.child.log()[self.mark:]

    def told(self, since_start=True):
        """(sequence, kind, fence) of the events that it has told, which it does when they are committed."""
        found = TOLD.findall(self.since() if since_start else self.child.log())
        return [(int(sequence), kind, fence or None) for sequence, kind, fence in found]

    def await_(self, condition, what, limit=LIMIT_S, period=0.02):
        wait_for(condition, what, [self.child], limit, period, story=lambda: tail(self.since(), 25))

    def command(self, *arguments):
        return subprocess.run(
            [str(part) for part in (self.programs / "geofenced", *arguments, "--config", self.configuration)],
            capture_output=True, text=True, timeout=LIMIT_S + FLUSH_S)

    def status(self):
        # A slow machine may let the agent miss the five seconds that the command waits.
        for _ in range(24):
            done = self.command("status", "--json")
            if done.returncode == 0:
                return json.loads(done.stdout)
            if not self.child.is_running:
                break
        ended = "" if self.child.is_running else f" (it ended with {self.child.process.returncode})"
        raise Failure(f"geofenced status: {done.returncode}: {done.stderr.strip()}{ended}:\n{tail(self.since())}")

    def doctor(self):
        """The codes of everything that the doctor found."""
        return {check["code"] for check in json.loads(self.command("doctor", "--json").stdout)["checks"]}

    def stop(self):
        """SIGTERM; fails unless it ends well."""
        status, seconds = self.child.stop(LIMIT_S)
        if status != 0:
            raise Failure(f"geofenced stopped with {status} after {seconds:.1f} s:\n{tail(self.child.log())}")

    def flush(self):
        """Sends what is left, without a running agent."""
        done = self.command("queue", "flush", "--timeout", FLUSH_S)
        if done.returncode:
            raise Failure(f"geofenced queue flush: {done.returncode}: {done.stderr.strip()}")


def read(database, sql, *values):
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as connection:
        rows = connection.execute(sql, values).fetchall()
    connection.close()
    return rows


def balance(counts):
    """Fails where enqueued is not acknowledged + pending + dead + evicted."""
    if counts["enqueued"] != sum(counts[name] for name in ("acknowledged", "pending", "dead", "evicted")):
        raise Failure(f"the counts do not add up: {counts}")


class look:
    """A database as a crash left it, opened in a copy, so that the program finds it untouched."""

    def __init__(self, database):
        self.database = pathlib.Path(database)

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="geofenced-look.")
        for suffix in ("", "-wal"):
            path = self.database.with_name(self.database.name + suffix)
            if path.exists():
                shutil.copy(path, self.folder)
        self.connection = sqlite3.connect(f"{self.folder}/{self.database.name}")
        found = self.connection.execute("PRAGMA integrity_check").fetchall()
        if found != [("ok",)]:
            raise Failure(f"{self.database} is damaged: {found[:3]}")
        return self.connection

    def __exit__(self, *_):
        self.connection.close()
        shutil.rmtree(self.folder)
