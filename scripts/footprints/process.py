"""What a process costs, from /proc, and the programs that are measured."""
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endtoend"))
from children import die_with_parent  # noqa: E402


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def wait(seconds, condition, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"footprint: {what}: not within {seconds} s")
        time.sleep(0.05)


def usage(pid):
    """Resident KiB, processor seconds and voluntary context switches of a process, all threads."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    stat = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = os.sysconf("SC_CLK_TCK")
    wakes, nanoseconds = 0, 0
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        nanoseconds += int((task / "schedstat").read_text().split()[0])
        for line in (task / "status").read_text().splitlines():
            if line.startswith("voluntary_ctxt_switches"):
                wakes += int(line.split(":")[1])
    io = dict(line.split(": ") for line in
              pathlib.Path(f"/proc/{pid}/io").read_text().splitlines())
    return {"rss_kib": int(fields["VmRSS"].split()[0]),
            # What no file backs: heap, stacks, changed data.
            "anonymous_kib": int(fields["RssAnon"].split()[0]),
            "threads": int(fields["Threads"]),
            # The clock ticks of stat are too coarse for what costs a second an hour.
            "cpu_s": nanoseconds / 1e9, "cpu_ticks_s": (int(stat[11]) + int(stat[12])) / ticks,
            "wakes": wakes,
            "write_bytes": int(io["write_bytes"]),
            "descriptors": len(list(pathlib.Path(f"/proc/{pid}/fd").iterdir()))}


def threads(pid):
    """The names of a process's threads."""
    return sorted((task / "comm").read_text().strip() for task in pathlib.Path(f"/proc/{pid}/task").iterdir())


def per_hour(before, after, elapsed):
    """What a process costs between two looks at it."""
    return {
        "rss_kib": after["rss_kib"], "anonymous_kib": after["anonymous_kib"],
        "threads": after["threads"],
        "cpu_s_per_hour": round((after["cpu_s"] - before["cpu_s"]) / elapsed * 3600, 2),
        "wakes_per_s": round((after["wakes"] - before["wakes"]) / elapsed, 2),
        "write_bytes": after["write_bytes"] - before["write_bytes"],
        "descriptors": after["descriptors"]}


class Ready:
    """The service manager's socket: when READY=1 came."""

    def __init__(self, folder):
        self.path = folder / "notify.sock"
        self.path.unlink(missing_ok=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.at = None
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            if b"READY=1" in self.socket.recv(4096) and self.at is None:
                self.at = time.monotonic()


class Bench:
    def __init__(self, folder, programs):
        self.folder, self.programs, self.children = folder, programs, []
        # In memory, as on a device: on a disk the snapshots would count as writes.
        self.memory = tempfile.TemporaryDirectory(dir="/dev/shm")
        self.runtime = self.memory.name

    def start(self, name, *arguments, authorities=None, environment=None):
        """`authorities` is what the program sees as /etc/ssl/certs."""
        log = open(self.folder / f"{name}.log", "ab")
        command = [str(self.programs / name), *map(str, arguments)]
        if authorities:
            # It keeps its pid: each program executes the next.
            command = ["unshare", "--mount", "--propagation", "private", "sh", "-c",
                       'mount --bind "$0" /etc/ssl/certs && exec "$@"', str(authorities), *command]
        child = subprocess.Popen(command, stderr=log, stdout=log, preexec_fn=die_with_parent, env={
            **os.environ, "RUNTIME_DIRECTORY": self.runtime, **(environment or {})})
        self.children.append(child)
        return child

    def stop(self, child):
        child.terminate()
        child.wait(timeout=30)
        self.children.remove(child)

    def stop_all(self):
        for child in list(self.children):
            self.stop(child)

    def status(self):
        run = subprocess.run([str(self.programs / "geofenced"), "status", "--json", "--config",
                              str(self.folder / "agent.yaml")], capture_output=True, text=True)
        return json.loads(run.stdout) if run.returncode == 0 else None

    def acknowledged(self):
        return (self.status() or {"queue": {"acknowledged": 0}})["queue"]["acknowledged"]
