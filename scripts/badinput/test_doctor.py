"""`geofenced doctor` and `status --permissions` against real conditions."""
import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

from bench import BIN, IS_ROOT, Bench, eventually, unused_port

needs_root = unittest.skipUnless(IS_ROOT, "needs root, for another user or a mount")


class Doctor(unittest.TestCase):
    def setUp(self):
        self.bench = Bench()
        self.addCleanup(self.bench.close)

    def assert_codes(self, config, *codes, status=None):
        report, found, done = self.bench.doctor(config)
        for code in codes:
            self.assertIn(code, found, done.stdout)
        for check in report["checks"]:
            needs_action = check["status"] in ("warn", "fail")
            self.assertEqual("action" in check, needs_action, check)
            self.assertNotIn("\n", check["seen"])
        self.assertEqual(report["schema"], "geofenced.doctor/1")
        if status is not None:
            self.assertEqual(done.returncode, status, done.stdout)
        self.assertEqual(done.stderr, "")
        return report, found

    def serial(self, port, *more):
        return self.bench.configure(
            "serial.yaml", *more, source=f"receiver: {{ source: serial, path: {port} }}")

    def with_server(self, url, key="key"):
        if not self.bench.path(key).exists():
            self.bench.write(key, "gk_live_x\n", 0o600)
        return self.bench.configure(
            "server.yaml", *self.bench.server_lines(url, key), fences=False)

    # Configuration and credential

    def test_configuration(self):
        bad = self.bench.configure("bad.yaml", "colour: red")
        report, found = self.assert_codes(bad, "D-CONF-01", status=78)
        self.assertIn(f"{bad}:5:1: colour: unknown key", found["D-CONF-01"]["seen"])
        for area in ("AGENT", "STATE", "SPACE", "QUEUE", "PORT", "FIX"):
            self.assertFalse([code for code in found if code.startswith(f"D-{area}-")],
                             "nothing is said of what the file did not name")
        self.assertIn("D-TCP-91", found)
        for config in (bad, self.bench.path("nope.yaml")):
            done = self.bench.run("status", "--permissions", "--config", config)
            self.assertEqual((done.returncode, done.stdout), (78, ""), done.stderr)
            self.assertIn(str(config), done.stderr)
        broken = self.bench.configure("broken.yaml", "fences_file: /none", fences=False)
        self.assert_codes(broken, "D-CONF-02", status=78)
        self.assert_codes(self.bench.good, "D-CONF-00", "D-CRED-91")

    def test_credential(self):
        config = self.with_server("http://127.0.0.1:1")
        self.assert_codes(config, "D-CRED-00")
        key = self.bench.path("key")
        key.chmod(0o644)
        self.assert_codes(config, "D-CRED-02", "D-AUTH-91", status=1)
        self.bench.write("key", "\n", 0o600)
        self.assert_codes(config, "D-CRED-03")
        key.unlink()
        self.assert_codes(config, "D-CRED-01")

    # The server

    def test_server(self):
        url = self.bench.server()
        config = self.with_server(url)
        self.assert_codes(config, "D-TCP-00", "D-HEALTH-00", "D-AUTH-00", "D-DNS-91", "D-TLS-91",
                          "D-ROUTE-91")
        self.bench.write("key", "gk_live_wrong\n", 0o600)
        _, found = self.assert_codes(config, "D-HEALTH-00", "D-AUTH-01", status=1)
        self.assertEqual(found["D-AUTH-01"]["seen"], "HTTP 401: key_unknown")
        wrong = self.with_server(url + "/elsewhere")
        self.assert_codes(wrong, "D-TCP-00", "D-HEALTH-03")

    def test_server_unreachable(self):
        self.assert_codes(self.with_server(f"http://127.0.0.1:{unused_port()}"),
                          "D-TCP-01", "D-HEALTH-91", "D-AUTH-91", status=1)
        self.assert_codes(self.with_server("https://no-such-host.invalid"),
                          "D-DNS-01", "D-TCP-91", "D-TLS-92")

    def test_strangers(self):
        with self.bench.stranger(200, "text/html", b"<html>") as url:
            self.assert_codes(self.with_server(url), "D-HEALTH-02", "D-AUTH-03")
            plain = url.replace("http://", "https://")
            self.assert_codes(self.with_server(plain), "D-TCP-00", "D-TLS-01", "D-HEALTH-91")
        with self.bench.stranger(503, "application/problem+json", b'{"code":"busy"}') as url:
            self.assert_codes(self.with_server(url), "D-HEALTH-01", "D-AUTH-03")
        with self.bench.stranger(403, "application/problem+json", b'{"code":"device"}') as url:
            self.assert_codes(self.with_server(url), "D-AUTH-02")

    def test_silent_server_is_not_waited_for(self):
        """Connections are taken and never answered: the worst case of all time-outs."""
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen(8)
            config = self.bench.configure(
                "silent.yaml",
                *self.bench.server_lines(f"http://127.0.0.1:{listener.getsockname()[1]}"),
                source="receiver: { source: serial, path: /dev/no-receiver }", fences=False)
            self.bench.write("key", "gk_live_x\n", 0o600)
            began = time.monotonic()
            self.assert_codes(config, "D-TCP-00", "D-HEALTH-04", "D-AUTH-91")
            self.assertLess(time.monotonic() - began, 15)

    # The disk

    def test_never_writes(self):
        """Not a byte and not a time of change, with the agent stopped, killed and running."""
        state = self.bench.path("state")
        before = self.bench.snapshot(state)
        self.assert_codes(self.bench.good, "D-STATE-00", "D-FSYNC-00", "D-QUEUE-00", "D-COUNT-00")
        self.assertEqual(self.bench.snapshot(state), before)

        agent = self.bench.agent(self.bench.good)
        self.assertTrue(eventually(self.bench.events))
        time.sleep(1)
        agent.process.kill()
        agent.process.wait()
        before = self.bench.snapshot(state)
        self.assertIn(str(state / "queue.db-wal"), before)
        self.assert_codes(self.bench.good, "D-QUEUE-00", "D-COUNT-00", "D-AGENT-51")
        self.assertEqual(self.bench.snapshot(state), before)

        index = state / "queue.db-shm"
        index.unlink()
        before = self.bench.snapshot(state)
        self.assert_codes(self.bench.good, "D-QUEUE-92", "D-COUNT-91")
        self.assertEqual(self.bench.snapshot(state), before)

        agent = self.bench.agent(self.bench.good)
        self.assertTrue(eventually(self.bench.events), agent.log)
        time.sleep(2)
        before = self.bench.snapshot(state)
        self.assert_codes(self.bench.good, "D-QUEUE-00", "D-COUNT-00", "D-AGENT-00")
        self.assertEqual(set(self.bench.snapshot(state)), set(before))
        self.assertIsNone(agent.process.poll())

    def test_damaged_queue(self):
        database = self.bench.path("state") / "queue.db"
        whole = database.read_bytes()
        database.write_bytes(b"\xff" * 16 + whole[16:])
        self.assert_codes(self.bench.good, "D-QUEUE-01", "D-COUNT-91", status=1)
        database.write_bytes(whole[:4096])
        self.assert_codes(self.bench.good, "D-QUEUE-01")
        database.write_bytes(whole)
        self.assert_codes(self.bench.good, "D-QUEUE-00", "D-COUNT-00")
        database.unlink()
        self.assert_codes(self.bench.good, "D-QUEUE-91")

    def test_wrong_counters(self):
        import sqlite3
        database = self.bench.path("state") / "queue.db"

        def change(statement):
            connection = sqlite3.connect(database)
            connection.execute(statement)
            connection.commit()
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()
        change("UPDATE counters SET enqueued = enqueued + 1")
        self.assert_codes(self.bench.good, "D-QUEUE-00", "D-COUNT-01", status=1)
        change("UPDATE counters SET enqueued = enqueued - 1")
        change("PRAGMA user_version = 99")
        self.assert_codes(self.bench.good, "D-QUEUE-03")

    def test_state_directory(self):
        state = self.bench.path("state")
        state.chmod(0o755)
        self.assert_codes(self.bench.good, "D-STATE-51")
        elsewhere = self.bench.configure("elsewhere.yaml", state="/no/such/place")
        self.assert_codes(
            elsewhere, "D-CONF-02", "D-STATE-01", "D-FSYNC-91", "D-QUEUE-91", status=78)

    @needs_root
    def test_without_rights(self):
        """As a user who may neither write the state directory nor read the queue."""
        self.bench.as_nobody()
        for place in [self.bench.path("state"), *self.bench.path("state").iterdir()]:
            os.chown(place, 0, 0)
        self.bench.path("state").chmod(0o755)
        _, found = self.assert_codes(self.bench.good, "D-STATE-02", "D-QUEUE-02", "D-FSYNC-91")
        self.assertIn("Permission denied", found["D-STATE-02"]["seen"])

    # The receiver

    def test_receiver(self):
        port = self.bench.receiver()
        config = self.serial(port)
        report, found = self.assert_codes(
            config, "D-PORT-00", "D-GROUP-00", "D-HOLD-00", "D-DATA-00", "D-FIX-00", "D-AGENT-51",
            "D-CONSOLE-00", "D-GPSD-00")
        self.assertEqual(report["permissions"]["status"], "grantedWhenInUse")
        agent = self.bench.agent(config)
        self.assertTrue(eventually(
            lambda: (self.bench.status(config) or {}).get("fix", {}).get("age_s") is not None),
            agent.log)
        # The rate is counted over five seconds.
        self.assertTrue(eventually(
            lambda: self.bench.status(config)["receiver"]["bytes_per_s"] > 0), agent.log)
        self.assert_codes(config, "D-AGENT-00", "D-HOLD-00", "D-DATA-00", "D-FIX-00")
        agent.stop()

    def test_no_receiver(self):
        report, _ = self.assert_codes(
            self.serial("/dev/no-receiver"), "D-PORT-01", "D-GROUP-91", "D-HOLD-91", "D-DATA-91",
            "D-FIX-91", status=1)
        self.assertEqual(report["permissions"]["status"], "notDetermined")
        self.assert_codes(self.serial(self.bench.good), "D-PORT-02")
        self.assert_codes(self.bench.good, "D-PORT-91", "D-FIX-00")

    def test_silent_receiver(self):
        controller, line = os.openpty()
        self.addCleanup(os.close, controller)
        port = os.ttyname(line)
        os.close(line)
        self.assert_codes(self.serial(port), "D-DATA-01", "D-FIX-52")

    def test_noise(self):
        controller, line = os.openpty()
        self.addCleanup(os.close, controller)
        port = os.ttyname(line)
        child = subprocess.Popen(
            ["bash", "-c", "while sleep 0.1; do printf 'no sentence at all '; done"],
            stdout=controller)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        os.close(line)
        self.assert_codes(self.serial(port), "D-DATA-02", "D-FIX-52")

    @needs_root
    def test_rights_and_holder(self):
        port = self.bench.receiver().resolve()
        config = self.serial(port)
        holder = subprocess.Popen(["flock", str(port), "sleep", "60"])
        try:
            eventually(lambda: any(
                os.path.realpath(link) == str(port)
                for link in pathlib.Path(f"/proc/{holder.pid}/fd").iterdir()))
            _, found = self.assert_codes(config, "D-HOLD-01", "D-DATA-91", status=1)
            self.assertRegex(found["D-HOLD-01"]["seen"], r"(flock|sleep) \(pid \d+\)")
            permission = self.bench.run("status", "--permissions", "--json", "--config", config)
            self.assertEqual(json.loads(permission.stdout)["status"], "denied")
        finally:
            holder.terminate()
            holder.wait()
        os.chmod(port, 0o600)
        self.bench.as_nobody()
        report, found = self.assert_codes(config, "D-GROUP-01", "D-DATA-91")
        self.assertEqual(report["permissions"]["status"], "denied")
        self.assertIn("usermod -aG", found["D-GROUP-01"]["action"])

    # The whole

    def test_text(self):
        done = self.bench.run("doctor", "--config", self.bench.good)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].startswith("permission  grantedWhenInUse: "), lines[0])
        self.assertRegex(lines[-1], r"^\d+ ok, \d+ warnings, 0 failures, \d+ skipped$")
        self.assertNotIn("\x1b", done.stdout)
        self.assertNotIn("52.5", done.stdout, "no coordinates")
        self.assertEqual(done.stderr, "")

    def test_unreachable_agent(self):
        """Somebody listens on the socket and says nothing."""
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.bench.path("control.sock")))
            listener.listen(1)
            self.assert_codes(self.bench.good, "D-AGENT-01", status=1)

    @unittest.skipUnless(IS_ROOT, "needs root, for a network of its own")
    def test_offline(self):
        """In a network namespace without any interface that is up."""
        config = self.with_server("https://fences.example.org")
        done = subprocess.run(
            ["unshare", "-n", BIN / "geofenced", "doctor", "--json", "--config", config],
            capture_output=True, text=True, timeout=15)
        codes = {check["code"] for check in json.loads(done.stdout)["checks"]}
        self.assertTrue({"D-ROUTE-01", "D-TCP-91"} <= codes, codes)
        self.assertTrue({"D-DNS-01", "D-DNS-02"} & codes, codes)
        self.assertEqual(done.returncode, 1)

    @unittest.skipUnless(shutil.which("gpsd"), "needs gpsd")
    def test_gpsd_serves(self):
        """Real gpsd with a simulated receiver; then none."""
        number = unused_port()
        config = self.bench.configure(
            "gpsd.yaml", source=f"receiver: {{ source: gpsd, host: 127.0.0.1, port: {number} }}")
        report, _ = self.assert_codes(config, "D-GPSD-02", "D-PORT-91", "D-DATA-91", status=1)
        self.assertEqual(report["permissions"]["status"], "notDetermined")
        port = self.bench.receiver().resolve()
        os.chmod(port, 0o666)
        daemon = subprocess.Popen(
            ["gpsd", "-N", "-n", "-b", "-S", str(number), str(port)], stdin=subprocess.DEVNULL)
        self.addCleanup(daemon.wait)
        self.addCleanup(daemon.terminate)
        time.sleep(2)
        report, _ = self.assert_codes(
            config, "D-GPSD-00", "D-PORT-91", "D-DATA-00", "D-FIX-00")
        self.assertEqual(report["permissions"]["status"], "grantedWhenInUse")

    def test_gpsd_is_another(self):
        """A listener that speaks no gpsd is none."""
        with self.bench.stranger(200, "text/html", b"<html>") as url:
            number = url.rsplit(":", 1)[1]
            config = self.bench.configure(
                "gpsd.yaml", source=f"receiver: {{ source: gpsd, host: 127.0.0.1, port: {number} }}")
            _, found = self.assert_codes(config, "D-GPSD-02", "D-DATA-91", status=1)
            self.assertIn("no gpsd", found["D-GPSD-02"]["seen"])

    @needs_root
    def test_gpsd_fights(self):
        port = self.bench.receiver().resolve()
        # Its name is gpsd and the port stands among its arguments.
        child = subprocess.Popen(
            ["bash", "-c", "printf gpsd > /proc/$$/comm; read -t 60 < <(sleep 60)", "gpsd",
             str(port)])
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        eventually(lambda: pathlib.Path(f"/proc/{child.pid}/comm").read_text() == "gpsd\n")
        self.assert_codes(self.serial(port), "D-GPSD-01", status=1)


if __name__ == "__main__":
    unittest.main()
