"""The driver's own parts.  Run: .venv/bin/python -m unittest discover scripts/endtoend"""
import http.client
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from children import Child, LogFollower
from proxy import FaultProxy
from timeline import Timeline


class Store(http.server.BaseHTTPRequestHandler):
    """A server that says duplicate to what it has."""

    protocol_version = "HTTP/1.1"
    seen = set()

    def do_POST(self):
        events = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["events"]
        results = [{"client_event_id": event, "status":
                    "duplicate" if event in self.seen else "accepted"} for event in events]
        self.seen.update(events)
        body = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Proxy(unittest.TestCase):
    def setUp(self):
        Store.seen = set()
        self.store = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
        threading.Thread(target=self.store.serve_forever, daemon=True).start()

    def tearDown(self):
        self.store.shutdown()
        self.store.server_close()

    def send(self, proxy, event):
        client = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=5)
        try:
            client.request("POST", "/v1/events/batch", json.dumps({"events": [event]}))
            return json.loads(client.getresponse().read())["results"][0]["status"]
        finally:
            client.close()

    def test_lost_answers_become_duplicates(self):
        proxy = FaultProxy(self.store.server_address[1], drops=3, seed=5)
        answers = []
        for event in range(10):
            while True:
                try:
                    answers.append(self.send(proxy, event))
                    break
                except (OSError, http.client.HTTPException):
                    continue
        proxy.close()
        # Of one event, more than one answer may have been lost.
        self.assertTrue(1 <= answers.count("duplicate") <= 3)
        self.assertEqual((proxy.dropped, proxy.duplicates, proxy.accepted), (3, 3, 10))

    def test_without_drops_everything_passes(self):
        proxy = FaultProxy(self.store.server_address[1], drops=0, seed=5)
        self.assertEqual([self.send(proxy, event) for event in range(5)], ["accepted"] * 5)
        proxy.close()

    def test_a_dead_server_is_a_dead_line(self):
        self.store.shutdown()
        self.store.server_close()
        proxy = FaultProxy(self.store.server_address[1], drops=0, seed=5)
        with self.assertRaises((OSError, http.client.HTTPException)):
            self.send(proxy, 1)
        self.assertEqual(proxy.unreachable, 1)
        proxy.close()
        self.setUp()


class Plan(unittest.TestCase):
    def test_the_same_seed_plans_the_same(self):
        self.assertEqual(Timeline(7, 300, 20, True).steps, Timeline(7, 300, 20, True).steps)
        self.assertNotEqual(Timeline(7, 300, 20, True).steps, Timeline(8, 300, 20, True).steps)

    def test_kills_are_apart_and_within_the_drive(self):
        for seed in range(50):
            times = [at for at, action in Timeline(seed, 200, 20, True).steps
                     if action == "agent kill"]
            self.assertEqual(len(times), 20)
            self.assertTrue(all(b - a >= Timeline.KILL_SPACING_S - 1e-9
                                for a, b in zip(times, times[1:])))
            self.assertTrue(12 <= times[0] and times[-1] <= 194)

    def test_too_many_kills_are_refused(self):
        with self.assertRaises(ValueError):
            Timeline(1, 60, 20, True)


class Children(unittest.TestCase):
    def test_killed_restarted_and_stopped(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = []
            log = pathlib.Path(folder, "log")
            follower = LogFollower(log, lambda _, line: lines.append(line))
            child = Child("sh", ["/bin/sh", "-c", "echo up; exec sleep 60"], log)
            child.start()
            first = child.process.pid
            child.kill()
            self.assertFalse(child.is_running)
            child.start()
            self.assertNotEqual(child.process.pid, first)
            while lines.count("up") < 1:
                time.sleep(0.01)
            self.assertEqual(child.stop(5)[0], -15)
            follower.close()
            self.assertIn("--- start 2", lines)


if __name__ == "__main__":
    unittest.main()
