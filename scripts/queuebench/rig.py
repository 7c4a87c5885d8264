"""The real programs in one folder on a disk, with what a device keeps in memory in memory.

The runtime directory (snapshots, control socket), the logs, which a device hands to its journal, and
the recorded receiver lie in /dev/shm: what the kernel counts as bytes written by the agent is then its
state directory alone.  Children are ended by their own pid.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
MEMORY = pathlib.Path("/dev/shm")


class Failure(Exception):
    """What ends a measurement, in words for a person."""


def build(programs):
    for program in programs:
        subprocess.run(["swift", "build", "-c", "release", "--product", program], cwd=TOP,
                       check=True, stdout=subprocess.DEVNULL)
    return TOP / ".build" / "release"


def file_system(path):
    """The type of the file system below a folder."""
    run = subprocess.run(["stat", "-f", "-c", "%T", str(path)], capture_output=True, text=True)
    return run.stdout.strip()


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


class Rig:
    def __init__(self, programs, disk):
        self.programs = pathlib.Path(programs).resolve()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-bench.", dir=disk))
        self.memory = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-bench.", dir=MEMORY))
        self.children = []

    def __enter__(self):
        # Ended from outside, it still ends its children and removes its folders.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
        signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
        return self

    def __exit__(self, *_):
        for child in reversed(self.children):
            if child.poll() is None:
                child.kill()
            child.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.rmtree(self.memory, ignore_errors=True)

    def start(self, name, *arguments, log=None, environment=None):
        with open(self.memory / f"{log or name}.log", "ab") as output:
            child = subprocess.Popen(
                [str(self.programs / name), *map(str, arguments)], stdin=subprocess.DEVNULL,
                stdout=output, stderr=output, env={**os.environ, **(environment or {})})
        self.children.append(child)
        return child

    def run(self, name, *arguments, check=True):
        run = subprocess.run([str(self.programs / name), *map(str, arguments)], text=True,
                             capture_output=True)
        if check and run.returncode != 0:
            raise Failure(f"{name} {arguments[0]}: {run.stderr.strip()}")
        return run

    def log(self, name):
        path = self.memory / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def stop(self, child, seconds=60):
        """SIGTERM; the exit status."""
        if child.poll() is None:
            child.terminate()
        code = child.wait(seconds)
        self.children.remove(child)
        return code

    def kill(self, child):
        child.send_signal(signal.SIGKILL)
        child.wait(60)
        self.children.remove(child)

    def wait(self, condition, what, seconds, period=0.05):
        end = time.monotonic() + seconds
        while not condition():
            for child in self.children:
                if child.poll() is not None:
                    raise Failure(f"{child.args[0]} ended while waiting for {what}")
            if time.monotonic() > end:
                raise Failure(f"{what}: not within {seconds} s")
            time.sleep(period)

    # Server

    def make_server(self, fences=None):
        """The database with a device key; answers the path of the database."""
        database = self.folder / "server.db"
        made = json.loads(self.run("geofence-server", "init", "--database", database,
                                   "--workspace", "bench", "--json").stdout)
        self.device_key = made["device_key"]
        key = self.folder / "key"
        key.write_text(self.device_key + "\n")
        key.chmod(0o600)
        if fences is not None:
            self.run("geofence-server", "import", "--database", database, fences)
        return database

    def start_server(self, database, log="geofence-server"):
        child = self.start("geofence-server", "serve", "--database", database, "--listen",
                           "127.0.0.1:0", log=log)
        self.wait(lambda: "listening on" in self.log(log), "the server", 30)
        self.url = self.log(log).rsplit("listening on ", 1)[1].split()[0]
        return child

    # Agent

    def configure(self, name="agent", **sections):
        """Writes the configuration; a section is the text of its YAML value."""
        path = self.folder / f"{name}.yaml"
        sections = {"device": "{ id: bench }", "state_directory": f"{self.folder}/state",
                    "socket": f"{self.memory}/control.sock",
                    "server": f"{{ url: '{self.url}', key_file: {self.folder}/key }}", **sections}
        path.write_text("".join(f"{key}: {value}\n" for key, value in sections.items()))
        return path

    def start_agent(self, configuration, seconds=120):
        """Waits for READY=1 as systemd would; answers the child and the seconds it took."""
        address = self.memory / "notify.sock"
        address.unlink(missing_ok=True)
        notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with notify:
            notify.bind(str(address))
            notify.settimeout(seconds)
            began = time.monotonic()
            child = self.start("geofenced", "run", "--config", configuration, environment={
                "NOTIFY_SOCKET": str(address), "RUNTIME_DIRECTORY": str(self.memory)})
            try:
                while b"READY=1" not in notify.recv(4096).split(b"\n"):
                    pass
            except TimeoutError:
                raise Failure(f"the agent was not ready within {seconds} s") from None
            return child, time.monotonic() - began

    def status(self, configuration):
        run = self.run("geofenced", "status", "--json", "--config", configuration, check=False)
        return json.loads(run.stdout) if run.returncode == 0 else None


def written(pid):
    """Bytes that the process has sent to block devices (proc(5), write_bytes)."""
    for line in pathlib.Path(f"/proc/{pid}/io").read_text().splitlines():
        if line.startswith("write_bytes:"):
            return int(line.split()[1])
    raise Failure("the kernel does not count bytes written")


def resident_kib(pid, name="VmRSS"):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    return 0
