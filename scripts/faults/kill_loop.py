"""Kills the real agent and the real server (SIGKILL) at random moments, at the same time, again and again.

The agent drives so fast past fences that it commits every few milliseconds, and uploads to the server;
other clients upload to the server without end, with duplicates within a batch and across batches.  After
each kill the database, read in a copy, must be sound and its counts must match its rows; after each start
the agent's own counts must add up.  At the end the server has every event that the agent ever told of and
every event that it ever answered, once, in one epoch without a gap.

Exit status: 0 right, 1 something was lost, damaged or doubled.
"""
import argparse
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from programs import SOUND, TOP, Agent, Failure, Server, balance, enclosed, look, tail, wait_for, write_drive
from uploader import Uploader, check_stored

DRIVE_S = 40_000
DEVICE = "killed"
# Slow enough for the agent to answer between its commits, also on a busy machine.
SPEED = 100
UPLOADERS = 2
# So often the doctor, who reads everything and takes a second, is asked as well.
DOCTOR_EVERY = 10


def say(text):
    print(f"kill-loop: {text}", file=sys.stderr, flush=True)


class KillLoop:
    def __init__(self, programs, folder, options):
        self.options, self.folder = options, folder
        self.problems, self.told, self.epoch = [], {}, None
        self.server = Server(programs, folder)
        self.server.make()
        self.uploaders = [Uploader(self.server.port, self.server.device, number, options.seed)
                          for number in range(UPLOADERS)]
        drive = folder / "drive.nmea"
        write_drive(drive, DRIVE_S)
        self.agent = Agent(programs, folder, folder / "state", self.server, drive, DEVICE, SPEED)
        # The server is not killed while something else needs its answer.
        self.answering = threading.Lock()

    def run(self):
        for uploader in self.uploaders:
            uploader.start()
        try:
            threads = [threading.Thread(target=self.guarded, args=(work,))
                       for work in (self.kill_agent, self.kill_server)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.finish()
        finally:
            for uploader in self.uploaders:
                uploader.ended.set()
            self.agent.child.is_running and self.agent.child.kill()
            self.server.child.is_running and self.server.child.stop(20)

    def guarded(self, work):
        try:
            work()
        except (Failure, OSError, ValueError, KeyError, sqlite3.Error, subprocess.SubprocessError) as error:
            self.problems.append(f"{work.__name__}: {type(error).__name__}: {error}")

    def kill_agent(self):
        chance = random.Random(f"{self.options.seed} agent")
        for number in range(self.options.agent):
            self.agent.start()
            self.agent.await_(lambda: len(self.agent.told()) >= 3, "events")
            if number % DOCTOR_EVERY == 0 and not SOUND <= (codes := self.agent.doctor()):
                self.problems.append(f"kill {number}: the doctor says {sorted(codes)}")
            balance(self.agent.status()["queue"])
            time.sleep(chance.uniform(0, 0.4))
            if not self.agent.child.is_running:
                raise Failure(f"geofenced ended by itself:\n{tail(self.agent.child.log())}")
            self.agent.child.kill()
            self.note_told(number)
            self.check_queue(number)

    def note_told(self, number):
        for sequence, kind, fence in self.agent.told():
            if sequence in self.told:
                self.problems.append(f"kill {number}: {sequence} was given to two events")
            self.told[sequence] = (kind, fence)
        if "damaged" in self.agent.since() or "quarantine" in self.agent.since():
            self.problems.append(f"kill {number}: the start before found damage:\n{tail(self.agent.since())}")

    def check_queue(self, number):
        with look(self.agent.state / "queue.db") as connection:
            counts = dict(zip(("enqueued", "acknowledged", "pending", "dead", "evicted", "kept"), connection.execute(
                "SELECT enqueued, acknowledged, pending, dead, evicted, kept_acknowledged FROM counters").fetchone()))
            rows = dict(connection.execute("SELECT status, count(*) FROM events GROUP BY status"))
            epoch = connection.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0]
            last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()[0]
        balance(counts)
        if (rows.get(0, 0), rows.get(1, 0)) != (counts["pending"], counts["kept"]) or counts["enqueued"] != last:
            self.problems.append(f"kill {number}: {counts}, but rows {rows} and {last} numbers")
        if counts["dead"] or counts["evicted"] or self.epoch not in (None, epoch) or max(self.told) > last:
            self.problems.append(f"kill {number}: {counts}, epoch {epoch}, {max(self.told)} promised")
        self.epoch = epoch

    def kill_server(self):
        chance = random.Random(f"{self.options.seed} server")
        for number in range(self.options.server):
            before = sum(len(uploader.acknowledged) for uploader in self.uploaders)
            wait_for(lambda: sum(len(uploader.acknowledged) for uploader in self.uploaders) > before, "answers",
                     [self.server.child], 60, story=lambda: tail(self.server.child.log()))
            time.sleep(chance.uniform(0, 0.4))
            self.server.child.kill()
            # Answers that had been given are on their way still.
            time.sleep(0.02)
            with look(self.server.database) as connection:
                self.compare(f"server kill {number}", connection)
            if number < self.options.server - 1:
                self.server.start()

    def compare(self, when, connection):
        promised, lost, twice, _ = check_stored(connection, self.uploaders)
        if lost or twice:
            self.problems.append(f"{when}: {len(lost)} acknowledged events are lost, {len(twice)} are there twice: "
                                 f"{(lost + twice)[:5]}")
        return promised

    def finish(self):
        # A child dies with the thread that started it, so the last one is this one's.
        if not self.server.child.is_running:
            self.server.start()
        for uploader in self.uploaders:
            uploader.stop()
            self.problems += uploader.problems[:3]
        self.agent.start()
        time.sleep(0.5)
        self.agent.stop()
        self.note_told("the last")
        self.agent.flush()
        if not SOUND <= (codes := self.agent.doctor()):
            self.problems.append(f"at the end the doctor says {sorted(codes)}")
        with look(self.server.database) as connection:
            promised = self.compare("at the end", connection)
        rows = self.server.events(DEVICE)
        stored = {row[1]: (row[2], row[3]) for row in rows}
        if len({row[0] for row in rows}) != 1 or [row[1] for row in rows] != list(range(1, len(rows) + 1)):
            self.problems.append(f"the server has {len(rows)} events of {len({row[0] for row in rows})} epochs, "
                                 "with gaps or doubles")
        lost = [sequence for sequence in self.told if stored.get(sequence) != self.told[sequence]]
        if lost:
            self.problems.append(f"{len(lost)} events that the agent told of are not on the server: {lost[:5]}")
        say(f"agent: {self.agent.child.starts - 1} kills, {len(self.told)} events told, {len(rows)} stored, "
            f"{len(lost)} lost")
        say(f"server: {self.server.child.starts - 1} kills, {promised} events acknowledged to clients, "
            f"{sum(u.retries for u in self.uploaders)} tries again, {sum(u.duplicates for u in self.uploaders)} "
            "duplicates answered")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/kill-loop", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", type=int, default=30, metavar="N", help="kills of the agent (default 30)")
    parser.add_argument("--server", type=int, default=30, metavar="N", help="kills of the server (default 30)")
    parser.add_argument("--seed", type=int, default=None, help="default: random, and printed")
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and data")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-kill."))
    say(f"seed {options.seed}, in {folder}")
    status = enclosed(lambda: run(options, folder))
    if options.keep or status == 1:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    return status


def run(options, folder):
    began, problems = time.monotonic(), []
    try:
        loop = KillLoop(options.bin.resolve(), folder, options)
        problems = loop.problems
        loop.run()
    except (Failure, OSError, ValueError, KeyError, sqlite3.Error, subprocess.SubprocessError) as error:
        problems.append(f"{type(error).__name__}: {error}")
    for problem in problems[:20]:
        print(f"FAIL {problem}")
    print(f"kill-loop: seed {options.seed}, {time.monotonic() - began:.0f} s: "
          f"{'0 lost, 0 doubled' if not problems else 'FAILED'}")
    return 1 if problems else 0


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
