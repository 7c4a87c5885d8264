"""Each row of docs/bad-input.md: one clear line, the exit status, and nothing lost."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import unittest

from bench import BIN, FENCE, IS_ROOT, NOBODY, Bench, eventually, unused_port

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "bad-input.md"
# A part of any coordinate that the rows use: no journal holds one.
COORDINATE = r"(?<![\d.])(13|52)\.\d"
needs_root = unittest.skipUnless(IS_ROOT, "needs root, for another user or a mount")


class BadInput(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.close)

    # What all rows say

    def assert_refused(self, config, expected, lines=1):
        """`run` ends with 78 and one line; `config check` says the same; nothing is lost."""
        for command in (["run"], ["config", "check"]):
            done = self.bench.run(*command, "--config", config)
            self.assertEqual(done.returncode, 78, (command, done.stderr))
            self.assertRegex(done.stderr, expected)
            self.assertEqual(len(done.stderr.splitlines()), lines, done.stderr)
            if command == ["run"]:
                self.assertNotRegex(done.stderr, COORDINATE)
        self.assert_kept()

    def assert_kept(self):
        is_kept, story = self.bench.kept()
        self.assertTrue(is_kept, story)

    def assert_told(self, agent, expected, config, times=1):
        """A running agent says it once, also after some seconds of trying again."""
        self.assertTrue(eventually(lambda: re.search(expected, agent.log)), agent.log)
        self.assertIsNone(agent.process.poll(), agent.log)
        self.assertEqual(len(re.findall(expected, agent.log)), times, agent.log)
        self.assertNotRegex(agent.log, COORDINATE)

    # The configuration

    def test_config_unknown(self):
        config = self.bench.configure("bad.yaml", "upload:", "  intervall_s: 5")
        self.assert_refused(
            config, rf"{config}:6:3: upload.intervall_s: unknown key, known here: interval_s")

    def test_config_duplicate(self):
        config = self.bench.configure("bad.yaml", "log_level: info", "log_level: debug")
        self.assert_refused(config, rf"{config}:6:1: .*log_level")

    def test_config_type(self):
        config = self.bench.configure("bad.yaml", "queue: { max_bytes: plenty }")
        self.assert_refused(
            config, rf"{config}:5:21: queue.max_bytes: expected a whole number, found 'plenty'")

    def test_config_range(self):
        config = self.bench.configure("bad.yaml", "upload: { max_batch: 501 }")
        self.assert_refused(
            config, rf"{config}:5:22: upload.max_batch: 501 is out of range, allowed 1\.\.\.500")

    def test_config_position(self):
        config = self.bench.configure("bad.yaml", source="position: { lat: 52.5N, lon: 13.4 }", fences=False)
        self.assert_refused(config, rf"{config}:1:18: position\.lat: expected degrees, allowed -90")

    def test_config_no_yaml(self):
        config = self.bench.configure("bad.yaml", "upload: [1, 2")
        self.assert_refused(config, rf"{config}:\d+:\d+: ")

    def test_config_missing(self):
        config = self.bench.path("none.yaml")
        self.assert_refused(config, rf"{config}: .*No such file or directory")

    def test_config_pipe(self):
        pipe = self.bench.path("pipe.yaml")
        os.mkfifo(pipe)
        self.assert_refused(pipe, rf"{pipe}: cannot be read: not a regular file")

    def test_fences_pipe(self):
        pipe = self.bench.path("pipe.geojson")
        os.mkfifo(pipe)
        config = self.bench.configure("bad.yaml", f"fences_file: {pipe}", fences=False)
        self.assert_refused(config, rf"fences_file.* {pipe}: not a regular file")

    # The key

    def with_key(self, text, mode):
        self.bench.write("key", text, mode)
        return self.bench.configure(
            "bad.yaml", *self.bench.server_lines("http://127.0.0.1:1"), fences=False)

    def test_key_missing(self):
        config = self.with_key("", 0o600)
        self.bench.path("key").unlink()
        self.assert_refused(config, r"server\.key_file.* .*key: No such file or directory")

    def test_key_empty(self):
        self.assert_refused(self.with_key("\n", 0o600), r"server\.key_file.*holds no key")

    def test_key_open(self):
        self.assert_refused(
            self.with_key("gk_live_x\n", 0o644),
            r"server\.key_file.*mode 0644 lets others at the key, allowed 0600 or 0640")

    @needs_root
    def test_key_unreadable(self):
        config = self.with_key("gk_live_x\n", 0o600)
        self.bench.as_nobody()
        os.chown(self.bench.path("key"), 0, 0)
        self.assert_refused(config, r"server\.key_file.*Permission denied")

    def test_key_wrong(self):
        url = self.bench.server()
        self.bench.write("key", "gk_live_wrong\n", 0o600)
        config = self.bench.configure("bad.yaml", *self.bench.server_lines(url), fences=False)
        agent = self.bench.agent(config)
        key = self.bench.path("key")
        self.assert_told(agent, rf"no fences: HTTP 401: key_unknown, key file {key}", config)
        self.assert_told(
            agent, rf"server authenticationFailed: HTTP 401: key_unknown, key file {key}", config)
        status = self.bench.status(config)
        self.assertEqual(status["server"]["state"], "authenticationFailed")
        self.assertIn("key_unknown", status["server"]["reason"])
        self.assertEqual(self.bench.run("status", "--check", "--config", config).returncode, 4)
        text = self.bench.run("status", "--config", config).stdout
        self.assertIn("the server answered with an error", text)
        self.assertNotIn("no server has answered", text)
        agent.stop()
        self.assert_kept()

    # The server

    def assert_server(self, url, state, expected, told=None):
        self.bench.write("key", "gk_live_x\n", 0o600)
        config = self.bench.configure("bad.yaml", *self.bench.server_lines(url), fences=False)
        agent = self.bench.agent(config)
        found = eventually(lambda: (self.bench.status(config) or {}).get("server", {}).get(
            "state") == state)
        server = (self.bench.status(config) or {}).get("server")
        self.assertTrue(found, (server, agent.log))
        self.assertRegex(server["reason"], expected)
        self.assert_told(agent, told or rf"server {state}: .*{expected}", config)
        self.assertEqual(self.bench.run("status", "--check", "--config", config).returncode, 4)
        agent.stop()
        self.assert_kept()

    def test_server_down(self):
        self.assert_server(f"http://127.0.0.1:{unused_port()}", "connectFailed", r"127\.0\.0\.1: ")

    def test_server_wrong_url(self):
        url = self.bench.server()
        self.assert_server(url + "/elsewhere", "endpointMismatch", r"HTTP 404")

    def test_server_not_json(self):
        with self.bench.stranger(200, "text/html", b"<html>Welcome</html>") as url:
            self.assert_server(url, "captivePortal", r"text/html")

    def test_server_other_json(self):
        with self.bench.stranger(200, "application/json", b'{"hello": 1}') as url:
            self.bench.write("key", "gk_live_x\n", 0o600)
            config = self.bench.configure("bad.yaml", *self.bench.server_lines(url), fences=False)
            agent = self.bench.agent(config)
            self.assert_told(agent, r"no fences: .*no list of fences: /\w+: missing", config)
            self.assert_told(agent, r"server captivePortal: no receipt: /\w+: missing", config)
            agent.stop()
        self.assert_kept()

    def test_server_broken_fence(self):
        fence = {"id": "x", "type": "circle", "center": {"lat": 152.5, "lon": 13.4}, "radius_m": 50}
        answer = {"sync_id": "s", "anchor": {"lat": 52.5, "lon": 13.4}, "refresh_after_m": 900,
                  "refresh_after_s": 900, "coverage_radius_m": None, "truncated": False,
                  "limit": 18, "fences": [fence], "config": {"revision": 1},
                  "server_time": "2026-01-01T00:00:00.000Z"}
        body = json.dumps(answer).encode()
        with self.bench.stranger(200, "application/json", body) as url:
            self.bench.write("key", "gk_live_x\n", 0o600)
            config = self.bench.configure("bad.yaml", *self.bench.server_lines(url), fences=False)
            agent = self.bench.agent(config)
            self.assert_told(
                agent, r"no fences: .*no list of fences: /fences/0/center: not on Earth", config)
            agent.stop()
        self.assert_kept()

    def test_server_broken_json(self):
        with self.bench.stranger(200, "application/json", b'{"sync_id": "s",\n oops}') as url:
            self.bench.write("key", "gk_live_x\n", 0o600)
            config = self.bench.configure("bad.yaml", *self.bench.server_lines(url), fences=False)
            agent = self.bench.agent(config)
            self.assert_told(agent, r"no fences: .*not JSON: line 2, column 2: a name", config)
            agent.stop()
        self.assert_kept()

    # The fences

    def with_fences(self, text):
        self.bench.write("broken.geojson", text)
        return self.bench.configure(
            "bad.yaml", f"fences_file: {self.bench.path('broken.geojson')}", fences=False)

    def test_fences_missing(self):
        config = self.bench.configure("bad.yaml", "fences_file: /none.geojson", fences=False)
        self.assert_refused(config, r"fences_file.* /none\.geojson: No such file or directory")

    def test_fences_syntax(self):
        config = self.with_fences('{"type": "FeatureCollection",\n "features": [}')
        self.assert_refused(config, r"broken\.geojson: not JSON: line 2, column 15: a value is exp")

    def test_fences_member(self):
        fence = json.loads(json.dumps(FENCE))
        fence["properties"] = {}
        config = self.with_fences(json.dumps({"type": "FeatureCollection", "features": [fence]}))
        self.assert_refused(config, r"broken\.geojson: /features/0/geometry: a Point needs radius_m")

    def test_fences_shape(self):
        ring = [[13, 52], [13.1, 52.2], [13.1, 52], [13, 52.1], [13, 52]]
        fence = {"type": "Feature", "id": "x", "properties": {},
                 "geometry": {"type": "Polygon", "coordinates": [ring]}}
        config = self.with_fences(
            json.dumps({"type": "FeatureCollection", "features": [FENCE, fence]}))
        self.assert_refused(
            config,
            r"/features/1/geometry/coordinates/0/\d: self_intersection of fence 'x'")
        check = self.bench.run("config", "check", "--config", config)
        self.assertRegex(check.stderr, r"fence 'x' at lon 13\.\d+, lat 52\.\d+$")

    # The receiver

    def with_port(self, path):
        return self.bench.configure(
            "bad.yaml", source=f"receiver: {{ source: serial, path: {path} }}")

    def test_device_missing(self):
        config = self.with_port("/dev/no-receiver")
        agent = self.bench.agent(config)
        self.assert_told(
            agent, r"receiver noDevice: /dev/no-receiver does not exist: is the receiver plugged",
            config)
        self.assertEqual(self.bench.run("status", "--check", "--config", config).returncode, 4)
        agent.stop()
        self.assert_kept()

    @needs_root
    def test_device_permission(self):
        port = self.bench.receiver()
        os.chmod(port.resolve(), 0o600)
        config = self.with_port(port)
        self.bench.as_nobody()
        agent = self.bench.agent(config)
        self.assert_told(
            agent, r"receiver permissionDenied: no permission for .*: add the user to the group",
            config)
        agent.stop()
        self.assert_kept()

    @needs_root
    def test_device_busy(self):
        port = self.bench.receiver().resolve()
        os.chmod(port, 0o666)
        holder = subprocess.Popen([*NOBODY, "flock", str(port), "sleep", "60"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.terminate)
        config = self.with_port(port)
        self.bench.as_nobody()
        self.assertTrue(eventually(lambda: "FLOCK" in pathlib.Path("/proc/locks").read_text()))
        agent = self.bench.agent(config)
        self.assert_told(
            agent, rf"receiver portBusy: {port} is in use by .*(flock|sleep) \(pid \d+\)", config)
        agent.stop()
        self.assert_kept()

    # The disk

    def test_second_instance(self):
        first = self.bench.agent(self.bench.good)
        self.assertTrue(eventually(self.bench.events), first.log)
        second = self.bench.configure("second.yaml", socket_name="second.sock")
        done = self.bench.run("run", "--config", second)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(
            done.stderr, rf"queue\.lock is in use by process {first.process.pid}\n$")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIsNone(first.process.poll())
        first.stop()
        self.assert_kept()

    def test_state_is_file(self):
        """Also on a reload: the agent keeps the queue that it has."""
        self.bench.write("file", "")
        for state in ("file", "file/state"):
            self.refuse_state(self.bench.path(state), "Not a directory")
        self.assert_kept()

    def test_state_no_parent(self):
        parent = self.bench.path("sttae")
        self.refuse_state(parent / "state", rf"{parent} does not exist")
        self.assertFalse(parent.exists())
        self.assert_kept()

    def refuse_state(self, state, expected):
        bad = self.bench.configure("bad.yaml", state=state)
        line = rf"state_directory:? {state}: {expected}\n"
        for command in (["run"], ["config", "check"]):
            done = self.bench.run(*command, "--config", bad)
            self.assertEqual(done.returncode, 78, (command, done.stderr))
            self.assertRegex(done.stderr, line)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        live = self.bench.configure("live.yaml")
        agent = self.bench.agent(live)
        self.assertTrue(eventually(lambda: self.bench.events(live)), agent.log)
        live.write_text(bad.read_text())
        agent.process.send_signal(signal.SIGHUP)
        self.assert_told(agent, r"the configuration stays as it was: " + line, live)
        self.assertEqual(self.bench.status(self.bench.good)["queue"]["storage"], "durable")
        self.assertEqual(agent.stop(), 0, agent.log)

    @needs_root
    def test_reload_in_memory(self):
        """Nothing that was recorded in memory is lost, and no arrival comes twice."""
        shutil.rmtree(self.bench.path("state"))
        self.bench.path("state").mkdir(mode=0o700)
        story = self.in_own_mounts(r"""
            bin=$1; cd "$2"
            mount --bind state state; mount -o remount,bind,ro state
            "$bin/geofenced" run --config good.yaml & agent=$!
            for turn in $(seq 50); do
                "$bin/geofenced" events --json --config good.yaml > before.ndjson 2>/dev/null \
                    && [ -s before.ndjson ] && break
                sleep 0.2
            done
            kill -HUP $agent; sleep 4
            "$bin/geofenced" events --json --config good.yaml > after.ndjson
            mount -o remount,bind,rw state
            kill $agent; wait $agent
            """)
        self.assertRegex(story, r"stays as it was: storage storageReadOnly; events in memory would")
        self.assertNotIn("was read again", story)
        before, after = ([json.loads(line) for line in
                          self.bench.path(name).read_text().splitlines()]
                         for name in ("before.ndjson", "after.ndjson"))
        self.assertTrue(before)
        self.assertEqual([e["client_event_id"] for e in after[:len(before)]],
                         [e["client_event_id"] for e in before])
        self.assertEqual([e["type"] for e in after].count("enter"), 1, after)

    def test_database_corrupt(self):
        """A page is damaged: the event is salvaged. Then the first bytes are gone, and all pages
        with them: the file is kept, and the loss is told."""
        import sqlite3
        database = self.bench.path("state") / "queue.db"
        connection = sqlite3.connect(database)
        # As after a power cut: a file that was closed in order is not looked through again.
        connection.execute("UPDATE meta SET value = '0' WHERE name = 'clean'")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        page, = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'counters'").fetchone()
        connection.close()
        self.damage(database, (page - 1) * 1024, 64)
        agent = self.bench.agent(self.bench.good)
        self.assert_told(agent, r"the queue is damaged and is replaced: ", self.bench.good)
        self.assert_told(agent, r"queue: 1 events saved, ", self.bench.good)
        self.assertEqual(agent.stop(), 0)
        self.assert_kept()

        self.damage(database, 0, 16)
        agent = self.bench.agent(self.bench.good)
        self.assert_told(agent, r"the queue is damaged and is replaced: ", self.bench.good)
        quarantine = self.bench.path("state") / "quarantine"
        self.assertTrue(eventually(lambda: len(list(quarantine.glob("*-queue.db"))) == 2))
        self.assertTrue(eventually(lambda: "state_reset" in [
            event["type"] for event in self.bench.events()]))
        _, codes, _ = self.bench.doctor(self.bench.good)
        self.assertIn("D-QUEUE-00", codes)
        self.assertIn("D-COUNT-00", codes)
        agent.stop()

    def damage(self, database, offset, count):
        with open(database, "r+b") as file:
            file.seek(offset)
            file.write(b"\xff" * count)

    def test_database_newer(self):
        import sqlite3
        database = self.bench.path("state") / "queue.db"
        with sqlite3.connect(database) as connection:
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        before = database.read_bytes()
        done = self.bench.run("run", "--config", self.bench.good)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertRegex(done.stderr, r"queue\.db.*99.*install the newer")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertEqual(database.read_bytes(), before)

    def in_own_mounts(self, script):
        """Runs a shell script that may mount what it likes; nobody else sees it."""
        done = subprocess.run(
            ["unshare", "-m", "bash", "-euc", script, "bash", BIN, self.bench.folder],
            capture_output=True, text=True, timeout=90)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout + done.stderr

    @needs_root
    def test_disk_full(self):
        """A tmpfs of 512 KiB, filled to the last byte, in a mount namespace of its own."""
        small = self.bench.path("small")
        self.bench.configure("small.yaml", state=small)
        story = self.in_own_mounts(r"""
            bin=$1; cd "$2"; mkdir small
            mount -t tmpfs -o size=512k,mode=0700 tmpfs small
            cp -a state/queue.db state/queue.lock small/
            dd if=/dev/zero of=small/filler bs=1k count=4096 2>/dev/null || true
            "$bin/geofenced" run --config small.yaml & agent=$!
            for turn in $(seq 50); do
                "$bin/geofenced" status --config small.yaml > full.txt 2>&1 && break; sleep 0.2
            done
            sleep 2
            "$bin/geofenced" status --config small.yaml > full.txt
            "$bin/geofenced" doctor --json --config small.yaml > full-doctor.json || true
            kill $agent; wait $agent || true
            rm small/filler
            "$bin/geofenced" run --config small.yaml & agent=$!
            sleep 2
            "$bin/geofenced" events --json --config small.yaml > after.ndjson
            "$bin/geofenced" doctor --json --config small.yaml > after-doctor.json || true
            kill $agent; wait $agent
            """)
        self.assertIn("storage", self.bench.path("full.txt").read_text(), story)
        self.assertRegex(story, r"storage (diskFull|storageReadOnly): ")
        full = {c["code"] for c in json.loads(self.bench.path("full-doctor.json").read_text())[
            "checks"]}
        self.assertIn("D-SPACE-01", full)
        after = [json.loads(line)["client_event_id"]
                 for line in self.bench.path("after.ndjson").read_text().splitlines()]
        self.assertTrue(set(self.bench.seeded) <= set(after), story)
        codes = {c["code"] for c in json.loads(self.bench.path("after-doctor.json").read_text())[
            "checks"]}
        self.assertTrue({"D-QUEUE-00", "D-COUNT-00"} <= codes, codes)

    @needs_root
    def test_state_read_only(self):
        before = self.bench.snapshot(self.bench.path("state"))
        story = self.in_own_mounts(r"""
            bin=$1; cd "$2"
            mount --bind state state; mount -o remount,bind,ro state
            "$bin/geofenced" run --config good.yaml & agent=$!
            for turn in $(seq 50); do
                "$bin/geofenced" status --config good.yaml > ro.txt 2>&1 && break; sleep 0.2
            done
            "$bin/geofenced" events --json --config good.yaml > ro.ndjson
            "$bin/geofenced" doctor --json --config good.yaml > ro-doctor.json || true
            kill $agent; wait $agent
            """)
        self.assertEqual(len(re.findall(
            r"error: storage storageReadOnly: .*Read-only file system", story)), 1, story)
        self.assertIn("storage storageReadOnly", self.bench.path("ro.txt").read_text())
        held = [json.loads(line)["client_event_id"]
                for line in self.bench.path("ro.ndjson").read_text().splitlines()]
        self.assertTrue(set(self.bench.seeded) <= set(held))
        codes = {c["code"]: c for c in json.loads(
            self.bench.path("ro-doctor.json").read_text())["checks"]}
        self.assertIn("Read-only file system", codes["D-STATE-02"]["seen"])
        self.assertTrue({"D-QUEUE-00", "D-COUNT-00", "D-FSYNC-91"} <= set(codes), codes)
        self.assertEqual(self.bench.snapshot(self.bench.path("state")), before)
        self.assert_kept()

    @needs_root
    def test_state_owner(self):
        """Root's flush of a damaged queue leaves it to its user; what is root's is named."""
        self.bench.as_nobody()
        state = self.bench.path("state")
        database = state / "queue.db"
        self.bench.write("key", "gk_live_x\n", 0o600)
        config = self.bench.configure(
            "root.yaml", *self.bench.server_lines(f"http://127.0.0.1:{unused_port()}"))
        database.write_bytes(b"\xff" * 100 + database.read_bytes()[100:])
        for name in ("queue.lock", "queue.epoch", "ballast"):
            (state / name).unlink(missing_ok=True)
        done = self.bench.run("queue", "flush", "--timeout", 2, "--config", config, prefix=[])
        self.assertIn("the queue is damaged and is replaced", done.stderr)
        self.assertEqual({path.name: path.stat().st_uid for path in state.rglob("*")
                          if path.stat().st_uid != 65534}, {}, done.stderr)
        self.assertTrue((state / "quarantine").is_dir())

        agent = self.bench.agent(self.bench.good)
        self.assertTrue(eventually(self.storage), agent.log)
        self.assertEqual(self.storage(), "durable", agent.log)
        _, codes, _ = self.bench.doctor(self.bench.good, prefix=[])
        self.assertTrue({"D-STATE-00", "D-AGENT-00", "D-QUEUE-00"} <= set(codes), codes)
        self.assertEqual(agent.stop(), 0)

        for name in ("queue.db", "queue.db-shm"):
            self.assert_named(state / name)
        self.assert_kept()

    def storage(self):
        return (self.bench.status(self.bench.good) or {}).get("queue", {}).get("storage")

    def assert_named(self, file):
        """With this file root's the agent runs from memory and says so, and nothing is lost."""
        file.touch(0o600)
        os.chown(file, 0, 0)
        agent = self.bench.agent(self.bench.good)
        self.assertTrue(eventually(self.storage), agent.log)
        self.assertEqual(self.storage(), "storageReadOnly", agent.log)
        name = re.escape(str(file))
        self.assertRegex(agent.log, f"error: storage storageReadOnly: {name}: Permission denied: "
                         f"{name} belongs to uid 0, .*'chown 65534 {name}'")
        _, found, _ = self.bench.doctor(self.bench.good, prefix=[])
        self.assertIn(f"{file} of root", found["D-STATE-03"]["seen"])
        self.assertIn(f"{file} belongs to uid 0", found["D-AGENT-02"]["seen"])
        os.chown(file, 65534, 65534)
        self.assertEqual(agent.stop(), 0, agent.log)
        self.assertNotIn("lost with the process", agent.log)


class Documentation(unittest.TestCase):
    def test_every_row_is_tested(self):
        rows = set(re.findall(r"^\| `([a-z-]+)` \|", DOCUMENT.read_text(), re.M))
        tests = {name[5:].replace("_", "-") for name in dir(BadInput) if name.startswith("test_")}
        self.assertEqual(rows, tests)


if __name__ == "__main__":
    unittest.main()
