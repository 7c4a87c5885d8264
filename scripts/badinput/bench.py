"""A folder with an agent in it whose queue already holds an event, and the real programs around it."""
import contextlib
import hashlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "endtoend"))
from children import die_with_parent  # noqa: E402

BIN = pathlib.Path(os.environ.get("GEOFENCED_BIN", pathlib.Path(__file__).parents[2] / ".build/debug")).resolve()
IS_ROOT = os.geteuid() == 0
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
FENCE = {"type": "Feature", "id": "home", "geometry": {"type": "Point", "coordinates": [13.4, 52.5]},
         "properties": {"radius_m": 100}}


def eventually(condition, limit_s=15.0):
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.05)
    return condition()


class Program:
    """A program that runs until it is stopped; its standard error is read from a file."""

    def __init__(self, arguments, log):
        self.log_path = log
        with open(log, "wb") as file:
            self.process = subprocess.Popen(
                [str(part) for part in arguments], stdin=subprocess.DEVNULL, stdout=file,
                stderr=file, preexec_fn=die_with_parent)

    @property
    def log(self):
        return pathlib.Path(self.log_path).read_text(errors="replace")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Bench:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-bad-"))
        self.folder.chmod(0o755)
        self.bin = BIN
        self.prefix = []
        self.children = []
        self.write("fences.geojson", json.dumps(FENCE))
        self.good = self.configure("good.yaml")
        self.seed()

    def close(self):
        for child in self.children:
            child.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    # Files

    def path(self, name):
        return self.folder / name

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        path.write_text(text)
        path.chmod(mode)
        return path

    def configure(self, name, *lines, source=None, device="{ id: d1, profile: kiosk }",
                  fences=True, socket_name="control.sock", state=None):
        """A configuration of a kiosk in its fence; `source` replaces the fixed position."""
        text = [source or "position: { lat: 52.5, lon: 13.4 }", f"device: {device}",
                f"state_directory: {state or self.path('state')}",
                f"socket: {self.path(socket_name)}", *lines]
        if fences:
            text.append(f"fences_file: {self.path('fences.geojson')}")
        return self.write(name, "\n".join(text) + "\n")

    # Programs

    def run(self, *arguments, program="geofenced", prefix=None, timeout=30):
        command = [*(self.prefix if prefix is None else prefix), self.bin / program, *arguments]
        return subprocess.run([str(part) for part in command], capture_output=True, text=True,
                              timeout=timeout, stdin=subprocess.DEVNULL)

    def start(self, *arguments, program="geofenced", prefix=None):
        command = [*(self.prefix if prefix is None else prefix), self.bin / program, *arguments]
        child = Program(command, self.path(f"log-{len(self.children)}"))
        self.children.append(child)
        return child

    def agent(self, config):
        return self.start("run", "--config", config)

    def events(self, config=None):
        done = self.run("events", "--json", "--config", config or self.good)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def status(self, config):
        done = self.run("status", "--json", "--config", config)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def doctor(self, config, **more):
        done = self.run("doctor", "--json", "--config", config, **more)
        report = json.loads(done.stdout)
        return report, {check["code"]: check for check in report["checks"]}, done

    # The queue

    #: What an agent left behind: made once, copied for each bench.
    seed_folder, seeded = None, None

    def seed(self):
        """Records one event, so that there is something to lose."""
        if Bench.seed_folder is not None:
            shutil.copytree(Bench.seed_folder.name, self.path("state"), dirs_exist_ok=True)
            return
        agent = self.agent(self.good)
        found = eventually(self.events)
        assert found, agent.log
        assert agent.stop() == 0, agent.log
        Bench.seeded = [event["client_event_id"] for event in found]
        Bench.seed_folder = tempfile.TemporaryDirectory(prefix="geofenced-seed-")
        shutil.copytree(self.path("state"), Bench.seed_folder.name, dirs_exist_ok=True)
        # An agent would see, and say, that each bench begins with a copy.
        with contextlib.closing(sqlite3.connect(f"{Bench.seed_folder.name}/queue.db")) as queue:
            queue.execute("DELETE FROM meta WHERE name = 'birth'")
            queue.commit()

    def kept(self):
        """Whether everything that was recorded is still there, and the queue is sound."""
        agent = self.agent(self.good)
        try:
            found = eventually(
                lambda: set(self.seeded) <= {e["client_event_id"] for e in self.events()})
            _, codes, done = self.doctor(self.good)
            return bool(found) and "D-QUEUE-00" in codes and "D-COUNT-00" in codes, \
                agent.log + done.stdout
        finally:
            agent.stop()

    def as_nobody(self):
        """From here on everything runs as a user without rights, on a copy that it may read."""
        copy = self.path("bin")
        copy.mkdir()
        shutil.copy(BIN / "geofenced", copy / "geofenced")
        (copy / "geofenced").chmod(0o755)
        self.bin, self.prefix = copy, NOBODY
        for place in [self.folder, self.path("state"), *self.path("state").iterdir(),
                      *self.folder.glob("*.lock")]:
            os.chown(place, 65534, 65534)

    def snapshot(self, folder):
        """What a folder holds, to the byte and to the time of change."""
        result = {}
        for path in sorted(pathlib.Path(folder).rglob("*")):
            status = path.stat()
            digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            result[str(path)] = (status.st_size, status.st_mtime_ns, status.st_mode, digest)
        return result

    # Neighbours

    def receiver(self):
        """A simulated receiver with a good fix on a pty."""
        self.write("route.geojson", json.dumps(
            {"type": "Feature", "properties": {"speed_mps": 1},
             "geometry": {"type": "LineString", "coordinates": [[13.4, 52.5], [13.41, 52.5]]}}))
        child = self.start(
            "simulate", "--route", self.path("route.geojson"), "--seed", 1, "--noise", "none",
            "--pty", self.path("receiver"), "--linger", 120, program="geofence-field", prefix=[])
        port = self.path("receiver")
        assert eventually(port.is_symlink), child.log
        return port

    def server(self):
        """A real server with one workspace; gives its URL and leaves the key in a file."""
        database = self.path("server.db")
        if not database.exists():
            made = self.run("init", "--database", database, "--workspace", "w", "--json",
                            program="geofence-server", prefix=[])
            self.key = json.loads(made.stdout)["device_key"]
            self.write("key", self.key + "\n", 0o600)
        child = Program([BIN / "geofence-server", "serve", "--database", database, "--listen",
                         "127.0.0.1:0"], self.path("server.log"))
        self.children.append(child)
        url = eventually(lambda: next(
            (word for word in child.log.split() if word.startswith("http://127.0.0.1:")), None))
        assert url, child.log
        return url

    @contextlib.contextmanager
    def stranger(self, status, content_type, body):
        """Somebody else on the server's port: every request gets the same answer."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(status)
                self.send_header("Content-Type", content_type)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = answer

            def log_message(self, *arguments):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()

    def server_lines(self, url, key="key"):
        return [f"server: {{ url: '{url}', key_file: {self.path(key)} }}"]


def unused_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
