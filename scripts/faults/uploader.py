"""Clients that upload events to the real server without end and remember every acknowledged one."""
import http.client
import json
import random
import threading
import time

EPOCH = "00112233445566778899aabbccddeeff"


class Uploader:
    """One device: what was not answered is sent again, now and then with what was."""

    def __init__(self, port, key, number, seed, pause_s=0.002):
        self.port, self.key, self.pause_s = port, key, pause_s
        self.device = f"uploader-{number}"
        self.random = random.Random(seed * 100 + number)
        self.acknowledged, self.problems = {}, []
        self.duplicates = self.retries = self.sequence = 0
        self.batches = 0
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        self.ended.set()
        self.thread.join(60)

    def event(self):
        self.sequence += 1
        return {
            "client_event_id": f"{self.device}-{self.sequence}", "queue_epoch": EPOCH, "seq": self.sequence,
            "boot_id": "boot", "type": self.random.choice(("enter", "exit", "pass")), "fence_id": "depot",
            "visit_id": None, "occurred_at": "2026-01-31T12:00:00.000Z", "detected_at": "2026-01-31T12:00:00.000Z",
            "mono_ms": self.sequence, "wall_at": "2026-01-31T12:00:00Z", "wall_synchronised": True,
            "time_quality": "gnss", "initial": False, "inferred": False, "duration_s": None,
            "notification": {"decision": "none"}}

    def run(self):
        connection, waiting = None, []
        while not self.ended.is_set():
            # What was not answered goes again, in the same rows; the server must not mind either way.
            batch = waiting or [self.event() for _ in range(self.random.randint(1, 10))]
            self.retries += bool(waiting)
            waiting = batch
            rows = list(batch)
            if self.random.random() < 0.2:
                rows.append(self.random.choice(batch))
            if self.acknowledged and self.random.random() < 0.2:
                rows.append(self.acknowledged[self.random.choice(list(self.acknowledged)[-50:])])
            self.batches += 1
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                results = self.send(connection, rows)
            except (OSError, http.client.HTTPException, ValueError):
                connection and connection.close()
                connection = None
                time.sleep(0.02)
                continue
            if results is not None and self.take(rows, results):
                waiting = []
            time.sleep(self.pause_s)
        connection and connection.close()

    def send(self, connection, rows):
        body = json.dumps({
            "batch_id": f"{self.device}-{self.batches}", "device_id": self.device,
            "sent_at": "2026-01-31T12:00:00.000Z", "queue": {"pending": len(rows), "dead": 0, "oldest": None},
            "clock_anchors": [], "events": rows})
        connection.request("POST", "/v1/events/batch", body, {
            "Authorization": f"Bearer {self.key}", "X-Device-Id": self.device, "Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status == 503:
            return None
        if answer.status != 200:
            self.problems.append(f"{answer.status}: {content[:300]}")
            return None
        return json.loads(content)["results"]

    def take(self, rows, results):
        if len(results) != len(rows):
            self.problems.append(f"{len(results)} results for {len(rows)} events")
            return False
        for row, result in zip(rows, results):
            if result["client_event_id"] != row["client_event_id"] or result["status"] not in ("accepted", "duplicate"):
                self.problems.append(f"{row['client_event_id']}: {result}")
                return False
            known = row["client_event_id"] in self.acknowledged
            if known and result["status"] == "accepted":
                self.problems.append(f"{row['client_event_id']} was accepted a second time")
            self.duplicates += result["status"] == "duplicate"
            self.acknowledged[row["client_event_id"]] = row
        return True


def check_stored(connection, uploaders):
    """Every acknowledged event is in the database once; gives their number and that of the others."""
    stored = {}
    for name, count in connection.execute("SELECT client_event_id, count(*) FROM events GROUP BY client_event_id"):
        stored[name] = count
    promised = [name for uploader in uploaders for name in list(uploader.acknowledged)]
    lost = [name for name in promised if name not in stored]
    twice = [name for name, count in stored.items() if count != 1]
    ours = sum(name.startswith("uploader-") for name in stored)
    return len(promised), lost, twice, ours - (len(promised) - len(lost))
