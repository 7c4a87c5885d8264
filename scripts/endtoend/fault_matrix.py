"""Puts every fault of a network and of a server between a real agent and the real server, one agent a fault.

geofenced run (a kiosk) -> line with a fault -> geofence-server

Each row records some thirty events through its fault.  While it lasts the queue may not lose an event
without a receipt that names it, and `status` must call the server what the fault makes of it; waits
between two tries must be what the answer asked for.  Then the fault ends: every event must be stored at the
server once, in order, and SIGTERM must end the agent within six seconds.  Rows run side by side.

Exit status: 0 right, 1 different.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time

import certificates
import fault_rows
from children import Child, Failure, tail
from driver import TOP
from fault_line import FaultLine
from server import Server

PLACE = (47.4, 8.5)
FENCES = 10
# Enter, dwell and the start of a visit of each fence.
EVENTS = 3 * FENCES
LIMIT_S = 200
# Six seconds, on a machine with nothing else to do.
STOP_LIMIT_S = 12
# What a busy machine, and a look at the status in between, may add to a wait, seconds.
SLACK_S = 8
# By so much the line may note the end of an answer late.
EARLY_S = 0.25
POLL_S = 1.5


class Stored(Server):
    def stored(self, device):
        """The names of a device's events, in order."""
        database = sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30)
        try:
            return [row[0] for row in database.execute(
                "SELECT client_event_id FROM events WHERE device IN (SELECT id FROM devices WHERE device_id = ?) "
                "ORDER BY epoch, seq", (device,))]
        finally:
            database.close()


class Bench:
    """One row: an agent, its line, and what is known about both."""

    def __init__(self, index, row, world):
        self.row, self.world = row, world
        self.device = f"fault-{index}"
        self.folder = world.folder / self.device
        self.folder.mkdir()
        self.config = self.folder / "geofenced.yaml"
        self.ahead = self.folder / "ahead"
        self.set_ahead(0)
        self.problems, self.seen, self.agent, self.seconds = [], [], None, 0
        rows = row.tls or (None, None)
        self.secure, self.clean = (certificates.context(world.certificates, name) for name in rows)
        self.line = FaultLine(world.server.port, row.faults, row.rule, self.secure, self.look,
                              row.cut_requests)

    # The agent

    def configure(self, settings, host=""):
        scheme = "https" if self.row.tls or host else "http"
        lines = settings.format(certificates=self.world.certificates)
        self.config.write_text(
            f"server: {{ url: '{scheme}://{host or '127.0.0.1'}:{self.line.port}', key_file: {self.world.server.device_key}"
            f"{', ' + lines if lines else ''} }}\n"
            f"device: {{ id: {self.device}, profile: kiosk }}\nposition: {{ lat: {PLACE[0]}, lon: {PLACE[1]} }}\n"
            f"state_directory: {self.folder}/state\nsocket: {self.folder}/control.sock\n"
            "upload: { interval_s: 0 }\nheartbeat_s: 86400\n")

    def start(self, clock):
        command = [self.world.programs / "geofenced", "run", "--config", self.config]
        if clock or self.row.leap:
            offset, synchronised = clock or (0, True)
            command = ["/usr/bin/env", f"LD_PRELOAD={self.world.library}",
                       f"WRONG_CLOCK_S={int(-time.time() + 7200 if offset is None else offset)}",
                       f"WRONG_CLOCK_AHEAD={self.ahead}",
                       f"WRONG_CLOCK_SYNCHRONISED={self.world.folder if synchronised else '/nowhere'}", *command]
        self.agent = Child("geofenced", command, self.folder / "geofenced.log")
        self.agent.start()

    def set_ahead(self, seconds):
        """The time since the boot goes on from there. The file stays the same one: it is mapped."""
        with open(self.ahead, "r+b" if self.ahead.exists() else "wb") as file:
            file.write(struct.pack("q", seconds))

    def command(self, *arguments):
        return subprocess.run([self.world.programs / "geofenced", *arguments, "--config", self.config],
                              capture_output=True, text=True, timeout=60)

    def status(self):
        done = self.command("status", "--json")
        return json.loads(done.stdout) if done.stdout.strip() else None

    def await_(self, condition, what, limit=120):
        deadline = time.monotonic() + limit
        while not (found := condition()):
            if not self.agent.is_running:
                raise Failure(f"geofenced ended while waiting for {what}:\n{tail(self.agent.log())}")
            if time.monotonic() > deadline:
                raise Failure(f"waited {limit} s for {what}; {self.status()['server']}, {self.status()['queue']}, "
                              f"{len(self.line.tries)} tries")
            time.sleep(POLL_S / 3)
        return found

    # What must hold

    def judge(self, status, exactly):
        """Nothing leaves the queue without a receipt that names it."""
        queue = status["queue"]
        if queue["enqueued"] != sum(queue[name] for name in ("acknowledged", "pending", "dead", "evicted")):
            self.problems.append(f"the queue does not balance: {queue}")
        known = (queue["acknowledged"], queue["dead"])
        right = (self.line.granted, self.line.buried)
        if queue["evicted"] or (known != right if exactly else known[0] > right[0]):
            self.problems.append(f"acknowledged and dead {known}, receipts were for {right}")

    def look(self):
        """A batch has come: what did the agent make of the answer before it?"""
        tries = len(self.line.tries)
        status = self.status()
        if status is None or not tries:
            return
        self.judge(status, exactly=True)
        if self.line.tries[-1].fault:
            self.seen.append(status["server"]["state"])

    def check_waits(self):
        tries = self.line.tries
        for index, (least, most) in enumerate(self.row.waits):
            if index + 1 >= len(tries):
                self.problems.append(f"{len(tries)} tries, expected more")
                return
            took = tries[index + 1].began - tries[index].ended
            if not least - EARLY_S <= took <= most + SLACK_S:
                self.problems.append(f"waited {took:.1f} s, not {least} to {most}")

    def check_states(self):
        # A heartbeat that was answered in between says online, and is right.
        found = set(self.seen) - ({"online"} if len(set(self.seen)) > 1 else set())
        if self.row.states and found != {self.row.states}:
            self.problems.append(f"the server is {self.seen or 'never told'}, not {self.row.states}")

    # The course of a row

    def run(self):
        row, line = self.row, self.line
        if row.silence == "swallow":
            line.swallow()
        elif row.silence != "refuse":
            line.listen()
        self.configure(row.settings[0], row.host)
        self.start(row.clock)
        self.await_(self.status, "the agent", 90)
        self.await_(lambda: self.status()["fix"]["age_s"] is not None, "a position", 90)
        added = self.command("fences", "add", self.world.folder / "fences.geojson")
        if added.returncode:
            raise Failure(f"fences add: {added.stderr.strip()}")
        if row.silence or row.tls or row.host:
            if row.states:
                self.blocked()
            self.mend()
        elif row.leap:
            self.leap()
        elif row.faults:
            self.faulty()
        status = self.await_(self.delivered, "the delivery of all events", LIMIT_S)
        self.check_end(status)

    def blocked(self):
        """Nothing comes through; the agent knows why."""
        def failed():
            status = self.status()
            self.judge(status, exactly=True)
            return status["server"]["state"] == self.row.states and status["server"]["failures"] >= 1 \
                and status["queue"]["enqueued"] >= FENCES
        self.await_(failed, f"the state {self.row.states}")
        self.seen.append(self.row.states)

    def mend(self):
        row, line = self.row, self.line
        line.mend(self.clean)
        if row.silence:
            line.listen()
        if row.settings[0] != row.settings[1] or row.host:
            self.configure(row.settings[1])
            self.agent.send(signal.SIGHUP)
        if row.restart:
            self.stop()
            self.start((0, True))
        if row.flush:
            self.await_(lambda: self.command("queue", "flush", "--timeout", "20").returncode == 0, "a flush")

    def faulty(self):
        asked = 0
        deadline = time.monotonic() + LIMIT_S
        while not self.line.clean.is_set():
            if time.monotonic() > deadline:
                raise Failure(f"the faults were not over after {LIMIT_S} s: {len(self.line.tries)} tries")
            self.judge(self.status(), exactly=False)
            if self.row.flush and len(self.line.tries) > asked and self.line.tries[-1].ended:
                asked = len(self.line.tries)
                time.sleep(POLL_S)
                if len(self.line.tries) > asked:
                    self.problems.append(f"a try without being asked to, after {self.seen}")
                self.command("queue", "flush", "--timeout", "5")
            self.line.clean.wait(POLL_S)

    def leap(self):
        """Hours pass: no try before the time, one after it. A further event wakes the uploader each time."""
        line = self.line
        least, most = self.row.leap
        self.await_(lambda: line.tries and line.tries[0].ended and self.status()["queue"]["enqueued"] >= FENCES,
                    "the first answer and all events")
        first = line.tries[0]
        time.sleep(POLL_S)
        status = self.status()
        self.judge(status, exactly=False)
        if len(line.tries) == 1:
            self.seen.append(status["server"]["state"])
        left = first.seqs - first.settled

        def waiting():
            """Whether what got no receipt at first still waits for its second try."""
            if self.row.others_go:
                return not any(left & one.seqs for one in line.tries[1:])
            return len(line.tries) == 1

        self.set_ahead(int(least - (time.monotonic() - first.ended) - 20))
        self.another_event()
        time.sleep(2 * POLL_S)
        if not waiting():
            self.problems.append(f"tried again before {least} s")
        self.set_ahead(int(most + 5))
        self.another_event()
        self.await_(lambda: not waiting(), f"a try {most} s later", 60)

    def another_event(self):
        self.extra += 1
        added = self.command("fences", "add", "--circle", f"{PLACE[0]},{PLACE[1]},150", "--id", f"e{self.extra}", "--on",
                             "enter")
        if added.returncode:
            raise Failure(f"fences add: {added.stderr.strip()}")

    def delivered(self):
        status = self.status()
        queue = status["queue"] if status else {}
        return status if queue and queue["pending"] == 0 and queue["enqueued"] >= EVENTS else None

    def check_end(self, status):
        self.check_states()
        self.check_waits()
        row, line = self.row, self.line
        dead = {json.loads(text)["event"]["client_event_id"]
                for text in self.command("queue", "dead", "--json").stdout.splitlines()}
        if len(dead) != row.dead:
            self.problems.append(f"{len(dead)} dead letters, not {row.dead}")
        if status["server"]["state"] != "online":
            self.problems.append(f"at the end the server is {status['server']}")
        # The dwell of a place may still come.
        local = [json.loads(text)["client_event_id"]
                 for text in self.command("events", "--json", "--limit", "1000").stdout.splitlines()]
        self.await_(self.delivered, "the last events", 90)
        stored = self.world.server.stored(self.device)
        if [event for event in local if event not in dead] != stored[:len(local) - len(dead)]:
            self.problems.append(f"{len(local)} events recorded, {len(stored)} stored, {len(dead)} dead")
        if line.duplicates < row.duplicates:
            self.problems.append("the server got no event twice: the row proves nothing")
        if row.most_tries and len(line.tries) > row.most_tries:
            self.problems.append(f"{len(line.tries)} tries, more than {row.most_tries}")
        if line.cut_requests:
            self.problems.append(f"{len(line.cut_requests)} requests were not cut: the row proves nothing")
        if line.strays:
            self.problems.append(f"{line.strays} redirects were followed")
        self.problems += line.errors
        self.stop()
        self.count = len(stored)

    def stop(self):
        status, seconds = self.agent.stop(30)
        if status != 0 or seconds > STOP_LIMIT_S:
            self.problems.append(f"SIGTERM: exit status {status} after {seconds:.1f} s")

    def attempt(self):
        began = time.monotonic()
        self.count = self.extra = 0
        try:
            self.run()
        except (Failure, OSError, ValueError, KeyError, TypeError, sqlite3.Error,
                subprocess.SubprocessError) as error:
            self.problems.append(str(error))
        finally:
            self.seconds = time.monotonic() - began
            if self.agent and self.agent.is_running:
                self.agent.stop(10)
            self.line.close()

    def report(self):
        right = not self.problems
        tries = self.line.tries
        faults = sum(one.fault for one in tries)
        print(f"{'ok  ' if right else 'FAIL'} {self.row.name:<52} {', '.join(sorted(set(self.seen))) or '-':<22}"
              f"{faults:>4} of {len(tries):<3}{self.count:>4}{self.line.duplicates:>4}{self.line.buried:>3}"
              f"{self.seconds:>6.1f} s")
        for problem in dict.fromkeys(self.problems):
            print(f"     {problem}")
        if not right:
            print("     " + tail(self.agent.log() if self.agent else "", 8).replace("\n", "\n     "))
        return right


class World:
    """What all rows share."""

    def __init__(self, programs, folder):
        self.programs, self.folder = programs, folder
        self.library, self.certificates = folder / "wrong_clock.so", folder / "certificates"
        self.certificates.mkdir()
        self.server = None
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", self.library,
                        TOP / "scripts" / "endtoend" / "wrong_clock.c"], check=True)
        certificates.make(self.certificates, self.library)
        (folder / "fences.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "id": f"f{index}", "properties": {"name": f"F{index}", "radius_m": 100 + index, "dwell_s": 2,
                                                              "transitions": ["enter", "dwell", "exit"]},
             "geometry": {"type": "Point", "coordinates": [PLACE[1], PLACE[0]]}} for index in range(FENCES)]}))
        # All agents come from one address with one key.
        self.server = Stored(
            programs, folder, "faults",
            settings="limits: { connections: 500, connections_per_address: 500, key_requests_per_second: 1000, "
                     "key_burst: 1000 }\n")
        self.server.make()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/fault-proxy", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--only", default="", help="rows whose name has this text")
    parser.add_argument("--seed", type=int, default=None, help="default: random, and printed")
    parser.add_argument("--side-by-side", type=int, default=16, help="rows at the same time")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    print(f"fault-proxy: seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-faults."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began, benches, world, right = time.monotonic(), [], None, False
    turns = threading.Semaphore(options.side_by_side)

    def take_turn(bench):
        with turns:
            bench.attempt()

    try:
        world = World(options.bin.resolve(), folder)
        rows = [row for row in fault_rows.rows(options.seed) if options.only in row.name]
        benches = [Bench(index, row, world) for index, row in enumerate(rows)]
        threads = [threading.Thread(target=take_turn, args=(bench,), daemon=True) for bench in benches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"     {'fault':<52} {'the agent says':<22}tries faulty stored twice dead   took")
        wrong = [bench.row.name for bench in benches if not bench.report()]
        used = sum(os.times()[2:4])
        print(f"{len(benches) - len(wrong)} of {len(benches)} rows right in {time.monotonic() - began:.0f} s, seed {options.seed}, "
              f"{used:.0f} s of processor time of the programs")
        right = bool(benches) and not wrong
    finally:
        for bench in benches:
            if bench.agent and bench.agent.is_running:
                bench.agent.stop(10)
        if world and world.server:
            world.server.child.stop(10)
        if right and not options.keep:
            shutil.rmtree(folder)
        else:
            print(f"kept: {folder}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
