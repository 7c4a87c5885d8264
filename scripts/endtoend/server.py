"""The reference server of the drivers: made once, started again and again on the same port."""
import json
import os
import socket
import subprocess

from children import Child, Failure, tail, wait_for

LIMIT_S = 120


class Server:
    """geofence-server with a workspace and its two keys; its database may lie anywhere."""

    def __init__(self, programs, folder, workspace, database=None, port=None, settings=None):
        """`settings` is the text of a configuration file."""
        self.program, self.folder, self.workspace = programs / "geofence-server", folder, workspace
        self.database = database or folder / "server.db"
        self.port = port or free_port()
        self.device_key = folder / "device-key"
        arguments = ["serve", "--database", self.database, "--listen", f"127.0.0.1:{self.port}"]
        if settings:
            (folder / "server.yaml").write_text(settings)
            arguments += ["--config", folder / "server.yaml"]
        self.child = Child("geofence-server", [self.program, *arguments], folder / "server.log")

    def make(self, features=None):
        """The database, the keys as files beside it, and the fences; starts it."""
        keys = json.loads(self.command("init", "--workspace", self.workspace, "--json"))
        self.admin, self.device = keys["admin_key"], keys["device_key"]
        for name in ("admin", "device"):
            path = self.folder / f"{name}-key"
            with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
                file.write(keys[f"{name}_key"] + "\n")
        if features:
            path = self.folder / "fences.geojson"
            path.write_text(json.dumps(features))
            self.command("import", path)
        self.start()

    def command(self, verb, *arguments):
        done = subprocess.run(
            [self.program, verb, "--database", self.database, *arguments], capture_output=True, text=True,
            timeout=LIMIT_S)
        if done.returncode:
            raise Failure(f"geofence-server {verb}: {done.stderr.strip()}")
        return done.stdout

    def start(self):
        self.child.start()
        wait_for(lambda: can_connect(self.port), "the server to listen", [self.child], LIMIT_S,
                 story=lambda: tail(self.child.log()))


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def can_connect(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False
