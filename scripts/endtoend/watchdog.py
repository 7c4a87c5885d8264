"""Freezes one thread of a real agent at a time and listens to what the service manager's watchdog hears.

Three agents side by side, each with a NOTIFY_SOCKET of its own: one whose control loop is frozen (as by a
disk that does not answer), one whose uploader is frozen, and one whose server swallows every request while
nothing is frozen.  WATCHDOG=1 must stop for the first two, with the stuck part in the journal, and begin
again when they go on; for the third it must never stop.

Needs ptrace(2) of its own children; where that is not granted it says so and skips; in CI it fails.
Exit status: 0 right or skipped, 1 different.
"""
import argparse
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time

from children import Child, Failure, skipped, tail
from driver import TOP

INTERVAL_S = 4
# A request may take 30 s, and the uploader a minute for a round; half an interval is patience.
STUCK_LIMIT_S = {"tracking": 30, "upload": 90}
PARTS = {"tracking": "control loop", "upload": "uploader"}
SILENCE_S = 6
PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH, WALL = 0x4206, 0x4207, 17, 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


class Manager:
    """What a service manager hears."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.pings = []
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            if b"WATCHDOG=1" in self.socket.recv(4096):
                self.pings.append(time.monotonic())

    def count(self, seconds):
        """Pings in the next seconds."""
        before = len(self.pings)
        time.sleep(seconds)
        return len(self.pings) - before

    def longest_gap(self):
        return max((later - earlier for earlier, later in zip(self.pings, self.pings[1:])), default=0)


class BlackHole:
    """Takes connections and never answers."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=16)
        self.port = self.socket.getsockname()[1]
        self.taken = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            self.taken.append(self.socket.accept()[0])


def trace(request, thread):
    if LIBC.ptrace(request, thread, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


class Row:
    def __init__(self, thread, programs, folder):
        self.thread, self.programs = thread, programs
        self.folder = folder / (thread or "nothing")
        self.folder.mkdir()
        self.result, self.right = "not run", False

    def start(self):
        (self.folder / "key").touch(0o600)
        (self.folder / "key").write_text("gk_live_x\n")
        (self.folder / "geofenced.yaml").write_text(
            f"server: {{ url: 'http://127.0.0.1:{BlackHole().port}', key_file: {self.folder}/key }}\n"
            "device: { id: watched, profile: kiosk }\nposition: { lat: 47.4, lon: 8.5 }\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 0 }\nheartbeat_s: 5\n")
        self.manager = Manager(self.folder / "notify")
        self.agent = Child("geofenced", [
            "/usr/bin/env", f"NOTIFY_SOCKET={self.folder}/notify", f"WATCHDOG_USEC={INTERVAL_S * 1_000_000}",
            self.programs / "geofenced", "run", "--config", self.folder / "geofenced.yaml"], self.folder / "log")
        self.agent.start()
        self.await_(lambda: len(self.manager.pings) >= 2, 30, "the first pings")

    def await_(self, condition, limit, what):
        deadline = time.monotonic() + limit
        while not condition():
            if not self.agent.is_running or time.monotonic() > deadline:
                raise Failure(f"waited for {what}:\n{tail(self.agent.log())}")
            time.sleep(0.1)

    def run(self):
        """All calls of ptrace(2) come from the thread that began."""
        self.start()
        if self.thread is None:
            time.sleep(80)
            gap = self.manager.longest_gap()
            self.result = f"{len(self.manager.pings)} pings in 80 s, {gap:.1f} s apart at most"
            self.right = gap < INTERVAL_S and "stuck" not in self.agent.log()
            return
        thread = self.find()
        trace(PTRACE_SEIZE, thread)
        trace(PTRACE_INTERRUPT, thread)
        os.waitpid(thread, WALL)
        began = time.monotonic()
        try:
            self.await_(lambda: f"stuck: {PARTS[self.thread]}" in self.agent.log(), STUCK_LIMIT_S[self.thread],
                        "the journal to name the stuck part")
            seconds, silent = time.monotonic() - began, self.manager.count(SILENCE_S)
        finally:
            trace(PTRACE_DETACH, thread)
        self.await_(lambda: self.manager.pings[-1] > began + seconds + SILENCE_S, 40, "pings after it")
        self.right = silent == 0
        self.result = f"stuck after {seconds:.1f} s, {silent} pings in {SILENCE_S} s while it was, and again after it"

    def find(self):
        tasks = pathlib.Path(f"/proc/{self.agent.process.pid}/task")
        for task in tasks.iterdir():
            if (task / "comm").read_text().strip() == self.thread:
                return int(task.name)
        raise Failure(f"no thread {self.thread}")

    def attempt(self):
        try:
            self.run()
        except (Failure, OSError, ValueError) as error:
            self.result = str(error)

    def report(self):
        name = f"the {PARTS[self.thread]} is frozen" if self.thread else "a server that swallows every request"
        print(f"{'ok  ' if self.right else 'FAIL'} {name}: {self.result}")
        return self.right


def refusal():
    """Why this machine cannot; None: it can."""
    probe = Child("sleep", ["/bin/sleep", "5"], os.devnull)
    probe.start()
    try:
        trace(PTRACE_SEIZE, probe.process.pid)
        return None
    except OSError as error:
        return str(error)
    finally:
        probe.kill()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/watchdog", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    options = parser.parse_args()
    if reason := refusal():
        return skipped("watchdog", reason)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-watchdog."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rows = [Row(thread, options.bin.resolve(), folder) for thread in ("tracking", "upload", None)]
    try:
        threads = [threading.Thread(target=row.attempt, daemon=True) for row in rows]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return 0 if all([row.report() for row in rows]) else 1
    finally:
        for row in rows:
            if getattr(row, "agent", None) and row.agent.is_running:
                row.agent.stop(10)
        shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
