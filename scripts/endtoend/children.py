"""Child processes of the drivers: started, killed and awaited by their own pid, never by name."""
import ctypes
import datetime
import os
import re
import signal
import subprocess
import sys
import threading
import time
import traceback

PR_SET_PDEATHSIG = 1
CLONE_NEWNS, CLONE_NEWPID = 0x00020000, 0x20000000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18
LIBC = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    """What ends a driver, in words for a person."""


def tail(text, lines=15):
    return "\n".join(text.splitlines()[-lines:])


def wait_for(condition, what, children, limit_s, period_s=0.02, story=lambda: ""):
    """Until the condition holds; fails when one of the children ends, or after a time."""
    deadline = time.monotonic() + limit_s
    while not condition():
        for child in children:
            if not child.is_running:
                raise Failure(f"{child.name} ended while waiting for {what}:\n{tail(child.log())}")
        if time.monotonic() > deadline:
            raise Failure(f"waited {limit_s} s for {what}: {story()}")
        time.sleep(period_s)


def skipped(harness, reason):
    """The exit status of a harness that this machine cannot run. On somebody's machine it is skipped; in
    continuous integration (CI=true) that would be a row that nothing shows, which is a failure."""
    is_demanded = os.environ.get("CI") == "true"
    print(f"{harness}: {'FAILED, CI must be able to run this' if is_demanded else 'skipped'}: {reason}", flush=True)
    return 1 if is_demanded else 0


def departure(line):
    """Seconds of the drive and time of its start, where this line of a simulated receiver says it."""
    departs = re.search(r"drive of (\d+) s, .* departs at (\S+)", line)
    if departs is None:
        return None
    start = datetime.datetime.fromisoformat(departs[2].replace("Z", "+00:00"))
    return int(departs[1]), start.timestamp()


def die_with_parent():
    """Should the driver be killed, nothing that it started goes on."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def enclosed(work):
    """Calls `work` in a process of its own and gives its exit status; 143 after a SIGTERM to this one.

    However this process ends, SIGKILL included, the other one ends with all that it has started: the
    programs die with the process that started them.  For root it has process numbers and mounts of its
    own as well; the kernel then ends whatever is left and takes down its mounts and their loop devices.
    To be called before there is any thread.
    """
    sys.stdout.flush()
    is_apart = os.geteuid() == 0 and LIBC.unshare(CLONE_NEWPID) == 0
    child = os.fork()
    if child == 0:
        status = 1
        try:
            die_with_parent()
            if is_apart and LIBC.unshare(CLONE_NEWNS) == 0:
                LIBC.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None)
                LIBC.mount(b"proc", b"/proc", b"proc", 0, None)
            status = work()
        except BaseException:  # Nothing may go on in this copy of the driver.
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    asked = []

    def end(number, _):
        asked.append(128 + number)
        os.kill(child, signal.SIGKILL)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    _, status = os.waitpid(child, 0)
    return asked[0] if asked else os.waitstatus_to_exitcode(status)


class Child:
    """One program, restarted with the same arguments; its standard error goes to one log."""

    def __init__(self, name, arguments, log_path, environment=None):
        self.name, self.arguments, self.log_path = name, [str(part) for part in arguments], log_path
        self.environment = None if environment is None else {**os.environ, **environment}
        self.process = None
        self.starts = 0

    def start(self):
        with open(self.log_path, "ab") as log:
            log.write(f"--- start {self.starts + 1}\n".encode())
            log.flush()
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, preexec_fn=die_with_parent)
        self.starts += 1

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def send(self, number):
        if self.is_running:
            os.kill(self.process.pid, number)

    def kill(self):
        """SIGKILL, and waits for the end."""
        self.send(signal.SIGKILL)
        self.process.wait(10)

    def stop(self, timeout_s):
        """SIGTERM; gives the exit status and the seconds it took, None if it had to be killed."""
        began = time.monotonic()
        self.send(signal.SIGTERM)
        try:
            return self.process.wait(timeout_s), time.monotonic() - began
        except subprocess.TimeoutExpired:
            self.kill()
            return None, time.monotonic() - began

    def log(self):
        try:
            with open(self.log_path, encoding="utf-8", errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""


class LogFollower:
    """Hands each line of a growing log to a function, with the time at which it was seen."""

    def __init__(self, path, line_seen):
        self.path, self.line_seen = path, line_seen
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        rest, position = "", 0
        while not self.ended.is_set():
            try:
                with open(self.path, encoding="utf-8", errors="replace") as file:
                    file.seek(position)
                    rest += file.read()
                    position = file.tell()
            except FileNotFoundError:
                pass
            *lines, rest = rest.split("\n")
            for line in lines:
                self.line_seen(time.time(), line)
            self.ended.wait(0.02)

    def close(self):
        self.ended.set()
        self.thread.join(2)
