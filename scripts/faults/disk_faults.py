"""The real agent on a disk in trouble: full, read-only, failing, damaged.

full        A 4 MiB file system that something else fills to the last byte and frees again, while nothing can be
            sent: the ballast goes and comes back, the least valuable events go first, all of it is counted
            and told to the server.
read-only   A file system that is read-only at the start and is remounted, in real time: the agent runs
            from memory, says so, looks again after 60 s, and what was in memory arrives.
dead        A file system that turns read-only under the agent and is repaired and mounted anew beside it.
failing     fsync and pwrite return EIO for a while (a preloaded library), again and again, at any
            moment: nothing that was told is lost, nothing is there that was not told, nothing twice.
slow        Writes and syncs take 300 ms and find no room: a stop takes six seconds at most, and what was in
            memory alone is named.
damage      Bytes of the database flipped, cut off, or replaced by noise after a kill: the next start sets the
            file aside (two at most), saves what can be read, starts an epoch, counts and tells the rest,
            once, also where it is killed again and again while it does so.

In all of them the agent stays one process.  They run side by side, each with a server of its own.

Needs root, loop devices and a C compiler; where that is not granted it says so and skips; in CI it fails.
Exit status: 0 right or skipped, 1 different.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from loop_disk import LoopDisk, refusal
from programs import SOUND, TOP, Agent, Failure, Server, balance, enclosed, skipped, tail, write_drive

DRIVE_S = 60_000
REOPEN_S = 60
STOP_S = 6
# Kills in the middle of a salvage, for each damage.
CUTS = 3
# Kinds in the order in which they give way; what tells of losses never does.
RANKS = {"pass": 0, "enter": 1, "exit": 1, "dwell": 1, "coverage_lost": 1, "coverage_restored": 1, "visit_started": 2,
         "visit_ended": 2}
# The first byte of a page that holds rows (sqlite.org/fileformat2.html section 1.6).
TABLE_LEAF = 0x0D
SPACE_EXHAUSTED, NOT_WRITABLE = "D-SPACE-01", "D-STATE-02"


class Scenario:
    """One agent, one server, one folder."""
    name = ""
    # Slow enough for the agent to answer between its commits, also on a busy machine.
    speed = 100

    def __init__(self, options, folder):
        self.options, self.folder = options, folder / self.name
        self.folder.mkdir()
        self.random = random.Random(f"{options.seed} {self.name}")
        self.disk = self.agent = None
        self.story, self.problems = [], []

    def say(self, text):
        self.story.append(text)
        print(f"disk-faults: {self.name}: {text}", file=sys.stderr, flush=True)

    def prepare(self, preload=None):
        programs = self.options.bin.resolve()
        drive = self.folder / "drive.nmea"
        write_drive(drive, DRIVE_S if self.speed > 1 else 600)
        self.server = Server(programs, self.folder)
        self.server.make()
        self.agent = Agent(programs, self.folder, (self.disk.path if self.disk else self.folder) / "state",
                           self.server, drive, self.name, self.speed, preload)

    def run(self):
        try:
            self.work()
        except (Failure, OSError, ValueError, KeyError, TypeError, sqlite3.Error, subprocess.SubprocessError) as error:
            self.problems.append(f"{type(error).__name__}: {error}")
        finally:
            try:
                if self.agent and self.agent.child.is_running:
                    self.agent.child.kill()
                if self.agent and self.server.child.is_running:
                    self.server.child.stop(20)
            finally:
                if self.disk:
                    self.disk.close()

    def expect(self, condition, what):
        if not condition:
            self.problems.append(what)

    def preload(self):
        """The environment of an agent whose disk fails when it is told to."""
        library = self.folder / "failing_disk.so"
        source = pathlib.Path(__file__).with_name("failing_disk.c")
        done = subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], capture_output=True,
                              text=True, timeout=60)
        if done.returncode:
            raise Failure(f"cc: {done.stderr}")
        return {"LD_PRELOAD": library, "FAILING_DISK_FOLDER": self.folder / "state",
                "FAILING_DISK_SWITCH": self.folder / "switch"}

    def fail(self, what):
        """What fails on that disk from now on; None: nothing."""
        if what is None:
            (self.folder / "switch").unlink()
            return
        (self.folder / "next").write_text(what)
        os.replace(self.folder / "next", self.folder / "switch")

    def storage(self):
        return self.counts()["storage"]

    def await_storage(self, wanted, limit=120):
        """Seconds until status says so."""
        began = time.monotonic()
        self.agent.await_(lambda: self.storage() == wanted, f"storage to be {wanted}", limit, 0.1)
        return time.monotonic() - began

    def pending(self):
        return self.counts()["pending"]

    def settled(self):
        counts = self.counts()
        return counts["enqueued"] - counts["pending"]

    def counts(self):
        queue = self.agent.status()["queue"]
        balance(queue)
        return queue

    def deliver(self):
        """Ends the agent in an orderly way and sends what is left; gives what the server has."""
        self.agent.stop()
        self.agent.flush()
        codes = self.agent.doctor()
        self.expect(SOUND <= codes, f"the doctor says {sorted(codes)}")
        rows = self.server.events(self.name)
        numbers = collections.Counter((row[0], row[1]) for row in rows)
        self.expect(max(numbers.values(), default=1) == 1, "a number was given to two events")
        return rows

    def compare(self, rows, untold=0):
        """What the server has is what the agent told of, each once, but for what it counted and told as lost.

        `untold` events may be there besides: a kill can come between a COMMIT and the word of it.
        """
        told = collections.Counter(self.agent.told(since_start=False))
        # The queue's own events are told by what they tell of.
        stored = collections.Counter((row[1], row[2], row[3]) for row in rows if row[2] != "state_reset")
        evicted = sum(row[3] for row in losses(rows)) + sum(row[3] for row in losses(rows, "state_reset"))
        missing, extra = told - stored, stored - told
        self.expect(extra.total() <= untold, f"{extra.total()} events were stored that nobody was told of: "
                    f"{list(extra)[:5]}")
        self.say(f"{told.total()} events told, {stored.total()} on the server, {missing.total()} lost, "
                 f"{evicted} counted as lost")
        return missing.total(), evicted

    def check_losses(self, rows, counts):
        """All that is missing was counted by the agent, and told to the server."""
        missing, evicted = self.compare(rows)
        self.expect(missing == evicted == counts["evicted"], f"{missing} events are missing, the server was told of "
                    f"{evicted}, the agent counts {counts['evicted']}")


def losses(rows, kind="queue_evicted"):
    """What the events of a kind say was lost: (epoch, seq of the event, lost kind, count)."""
    found = []
    for epoch, sequence, name, _, document in rows:
        lost = json.loads(document).get("evicted") if name == kind else None
        if lost:
            found.append((epoch, sequence, lost["kind"], lost["count"]))
    return found


class Full(Scenario):
    name = "full"

    def work(self):
        self.disk = LoopDisk(self.folder, "disk", 4, "-O", "^has_journal", "-N", "64", "-b", "1024")
        self.disk.make()
        self.prepare()
        self.agent.start()
        self.agent.await_(lambda: len(self.agent.told()) > 20, "events")
        ballast = self.agent.state / "ballast"
        self.expect(ballast.exists() and ballast.stat().st_size == 1 << 20, "no ballast of 1 MiB")
        self.server.child.kill()
        before = {row[:2] for row in self.server.events(self.name)}
        # A queue that can evict in place when the disk is full, or one that must go on in memory.
        backlog = self.random.choice((100, 600))
        self.agent.await_(lambda: self.pending() > backlog, "a backlog", period=0.2)
        filler = self.disk.path / "filler"
        self.fill(filler)
        self.agent.await_(lambda: not ballast.exists(), "the ballast to go")
        self.say(f"the ballast went with {self.pending()} events waiting")
        full = set()
        deadline = time.monotonic() + 60
        while len(full) == 0 or self.counts()["evicted"] < 300:
            self.fill(filler)
            full.add(self.storage())
            if time.monotonic() > deadline:
                raise Failure(f"nothing is evicted: {self.counts()}")
        self.fill(filler)
        self.expect(SPACE_EXHAUSTED in self.agent.doctor(), "the doctor does not see the full disk")
        self.say(f"full: storage {', '.join(sorted(full))}, {self.counts()['evicted']} evicted of "
                 f"{self.counts()['enqueued']}")
        filler.unlink()
        seconds = self.await_storage("durable")
        self.agent.await_(ballast.exists, "the ballast to come back")
        self.expect(ballast.stat().st_size == 1 << 20, "the new ballast is not of 1 MiB")
        self.say(f"room again: durable after {seconds:.1f} s, with ballast")
        self.server.start()
        self.agent.await_(lambda: self.pending() < 20, "the delivery", period=0.2)
        counts = self.counts()
        self.expect(self.agent.child.starts == 1, "it was started again")
        rows = self.deliver()
        told = losses(rows)
        self.check_losses(rows, counts)
        # What had arrived before could not give way any more.
        self.check_order([row for row in rows if row[:2] not in before], told)

    def fill(self, path):
        with open(path, "ab", buffering=0) as file:
            for size in (65_536, 1024):
                try:
                    while file.write(bytes(size)) == size:
                        pass
                except OSError:
                    pass

    def check_order(self, rows, told):
        """Nothing of a lower rank that was older was left when an event of a higher rank gave way."""
        wrong = 0
        for epoch, sequence, kind, _ in told:
            # Records of evictions are merged where they are many, whatever else waits.
            if kind not in RANKS:
                continue
            # Told at once with a commit, whose own events come after it.
            wrong += sum(1 for row in rows if row[0] == epoch and row[1] < sequence
                         and RANKS.get(row[2], 9) < RANKS[kind])
        kinds = collections.Counter()
        for _, _, kind, count in told:
            kinds[kind] += count
        self.say(f"evicted by kind: {dict(kinds)}")
        self.expect(wrong == 0, f"{wrong} events of less value outlived others")
        self.expect(kinds["pass"] > 0, "no drive-through gave way")


class ReadOnly(Scenario):
    name = "read-only"
    speed = 1

    def work(self):
        self.disk = LoopDisk(self.folder, "disk", 32)
        self.disk.make()
        self.prepare()
        # So that there are fences in the cache, and events of before.
        self.agent.start()
        self.agent.await_(lambda: len(self.agent.told()) >= 3, "events")
        self.server.child.kill()
        self.agent.await_(lambda: self.pending() >= 1, "an event that waits", period=0.2)
        self.agent.stop()
        self.disk.remount("ro")
        self.agent.start()
        began = time.monotonic()
        self.await_storage("storageReadOnly", 10)
        self.expect(NOT_WRITABLE in self.agent.doctor(), "the doctor does not see the read-only disk")
        before = len(self.agent.told())
        self.agent.await_(lambda: len(self.agent.told()) >= before + 2, "events in memory")
        self.disk.remount("rw")
        mounted = time.monotonic() - began
        self.await_storage("durable", REOPEN_S + 20)
        seconds = time.monotonic() - began
        self.say(f"read-only: ran from memory, {len(self.agent.told())} events; writable after {mounted:.0f} s, "
                 f"on the disk after {seconds:.0f} s")
        self.expect(mounted < REOPEN_S - 1 <= seconds <= REOPEN_S + 5, f"it looked again after {seconds:.1f} s")
        self.server.start()
        counts = self.counts()
        self.check_losses(self.deliver(), counts)


class Dead(Scenario):
    name = "dead"
    speed = 1

    def work(self):
        self.disk = LoopDisk(self.folder, "disk", 32)
        self.disk.make()
        self.prepare()
        self.agent.start()
        self.agent.await_(lambda: len(self.agent.told()) >= 3, "events")
        self.server.child.kill()
        self.agent.await_(lambda: self.pending() >= 1, "an event that waits", period=0.2)
        # What the kernel does by itself with errors=remount-ro; nobody can take writers' files away otherwise.
        self.disk.remount("abort")
        before = len(self.agent.told())
        self.agent.await_(lambda: len(self.agent.told()) >= before + 1, "an event in memory")
        self.expect(self.storage() == "storageReadOnly", f"storage is {self.storage()}")
        began = time.monotonic()
        self.disk.unmount("-l")
        self.disk.replace()
        self.await_storage("durable", REOPEN_S + 20)
        self.say(f"dead: on the repaired disk after {time.monotonic() - began:.0f} s")
        self.server.start()
        counts = self.counts()
        self.check_losses(self.deliver(), counts)


class Failing(Scenario):
    name = "failing"
    speed = 60

    def work(self):
        self.prepare(self.preload())
        self.agent.start()
        self.agent.await_(lambda: len(self.agent.told()) >= 20, "events")
        for number in range(self.options.failures):
            what = ("sync", "write", "sync write")[number % 3]
            errors = self.errors()
            self.fail(what)
            self.agent.await_(lambda: self.errors() > errors, f"an error of {what}")
            # From one failed call to several tries to get the disk back.
            time.sleep(self.random.choice((0, 0, 0.005, 0.05, 0.5)))
            if number % 8 == 7:
                self.await_storage("storageReadOnly")
            self.fail(None)
            told = len(self.agent.told())
            self.await_storage("durable")
            self.agent.await_(lambda: len(self.agent.told()) >= told + 5, "events after the failure")
            if number == self.options.failures // 2:
                self.server.child.kill()
        memory = self.agent.child.log().count("events are kept in memory")
        self.say(f"{self.options.failures} failures of the disk, {self.errors()} errors met, {memory} times in memory")
        self.expect(memory > 0, "it was never in memory")
        self.expect(self.agent.child.starts == 1, "it was started again")
        self.expect("quarantine" not in self.agent.child.log(), "a sound file was set aside")
        self.server.start()
        counts = self.counts()
        self.check_losses(self.deliver(), counts)

    def errors(self):
        return self.agent.child.log().count("queue: storage: SQLite error")


class Slow(Scenario):
    name = "slow"
    speed = 60

    def work(self):
        self.prepare(self.preload())
        self.agent.start()
        self.agent.await_(lambda: len(self.agent.told()) >= 20, "events")
        self.server.child.kill()
        self.agent.await_(lambda: self.pending() >= 20, "a backlog", period=0.2)
        lost = 0
        # With the failure not met yet, and from memory.
        for wait_s in (0, 2):
            self.fail("sync write full slow")
            if wait_s:
                # A sync that finds no room is an I/O error, a write a full disk.
                self.agent.await_(lambda: self.storage() != "durable", "the disk to be given up")
                told = len(self.agent.told())
                self.agent.await_(lambda: len(self.agent.told()) >= told + 3, "events in memory")
            status, seconds = self.agent.child.stop(60)
            self.expect(status == 0, f"it stopped with {status}")
            self.expect(seconds <= STOP_S, f"a stop took {seconds:.1f} s")
            found = re.findall(r"(\d+) events in memory are lost with the process", self.agent.since())
            lost += sum(map(int, found))
            self.say(f"full and slow, {'in memory' if wait_s else 'at once'}: stopped in {seconds:.1f} s")
            self.fail(None)
            self.agent.start()
            self.agent.await_(lambda: len(self.agent.told()) >= 3, "events after it")
            self.expect(self.storage() == "durable", f"storage is {self.storage()}")
        self.server.start()
        counts = self.counts()
        missing, evicted = self.compare(self.deliver())
        self.expect(missing == lost + evicted, f"{missing} events are missing, {lost} were told to be lost and "
                    f"{evicted} evicted of {counts['enqueued']}")


class Damage(Scenario):
    name = "damage"
    speed = 60

    def work(self):
        self.prepare()
        database = self.agent.state / "queue.db"
        damages = [self.flip, self.truncate, self.noise, self.flip_header, self.flip]
        for damage in damages:
            self.agent.start()
            began = self.counts()["enqueued"]
            # What the damage before is told by has arrived then.
            self.agent.await_(lambda: self.settled() >= max(began, 20), "delivered events", period=0.1)
            self.agent.await_(lambda: self.counts()["enqueued"] >= 60, "events", period=0.1)
            self.server.child.kill()
            before = len(self.agent.told())
            self.agent.await_(lambda: len(self.agent.told()) >= before + 20, "events that wait")
            self.agent.child.kill()
            self.merge_log(database)
            content = bytearray(database.read_bytes())
            damage(content)
            database.write_bytes(content)
            self.agent.mark = len(self.agent.child.log())
            mark, cuts = self.agent.mark, [self.cut() for _ in range(CUTS)]
            # Noise takes the fences, too.
            self.server.start()
            self.agent.start()
            self.agent.await_(lambda: len(self.agent.told()) >= 3, "events after the damage")
            self.expect(self.storage() == "durable", f"{damage.__name__}: storage is {self.storage()}")
            log = self.agent.child.log()[mark:]
            found = re.findall(r"(\d+) events saved, (\w+) lost", log)
            # A kill can come between the exchange of the files and the word of it.
            self.expect(len(found) <= 1 and "the queue is damaged" in log, f"{damage.__name__}: not told: {tail(log)}")
            self.say(f"{damage.__name__}, killed with {', '.join(cuts)}: "
                     + ", ".join(f"{saved} saved, {lost} lost" for saved, lost in found))
            aside = list((self.agent.state / "quarantine").glob("*-queue.db"))
            self.expect(1 <= len(aside) <= 2, f"{len(aside)} files in quarantine")
            self.agent.child.kill()
        self.agent.start()
        rows = self.deliver()
        resets = [json.loads(row[4]) for row in rows if row[2] == "state_reset"]
        self.expect(len(resets) == len(damages), f"{len(resets)} resets told for {len(damages)} damages")
        self.expect(all(reset["reason"].startswith("quarantine") for reset in resets), "a reset without its reason")
        epochs = {row[0] for row in rows}
        self.expect(len(epochs) == len(damages) + 1, f"{len(epochs)} epochs after {len(damages)} damages")
        missing, counted = self.compare(rows, untold=8 * len(damages) * (1 + CUTS))
        # Noise leaves nothing to count with; what it took is known by the numbers that the server misses.
        self.expect(missing >= counted > 0, f"{counted} counted, {missing} missing")

    def cut(self):
        """Kills the agent while it replaces the file, and says how far it was."""
        names = {self.agent.state / "queue.db.salvage": "a part", self.agent.state / "queue.db.new": "all of it"}
        self.agent.child.start()
        deadline = time.monotonic() + 60
        tries = 0
        while not any(path.exists() for path in names) and time.monotonic() < deadline:
            tries += 1
            if tries % 500 == 0 and "ready, control socket" in self.agent.since():
                break
        time.sleep(self.random.choice((0, 0.001, 0.003, 0.01)))
        self.agent.child.kill()
        return next((what for path, what in names.items() if path.exists()), "nothing")

    def merge_log(self, database):
        """Puts the log of the killed agent into the file, so that what is damaged matters."""
        connection = sqlite3.connect(database)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()

    def flip(self, content):
        pages = [place for place in range(1024, len(content), 1024) if content[place] == TABLE_LEAF]
        for place in self.random.sample(pages, 3):
            content[place] ^= 0xFF
        for _ in range(3):
            content[self.random.randrange(1024, len(content))] ^= self.random.randrange(1, 256)

    def flip_header(self, content):
        for place in range(100, 1024, 7):
            content[place] ^= 0x55

    def truncate(self, content):
        del content[len(content) * 2 // 3:]

    def noise(self, content):
        content[:] = self.random.randbytes(len(content))


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/disk-faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    scenarios = {kind.name: kind for kind in (Full, ReadOnly, Dead, Failing, Slow, Damage)}
    parser.add_argument("--only", choices=scenarios, action="append", help="these alone")
    parser.add_argument("--failures", type=int, default=24, metavar="N", help="times the disk fails (default 24)")
    parser.add_argument("--seed", type=int, default=None, help="default: random, and printed")
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and images")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-disk."))
    if reason := refusal(folder) or (None if shutil.which("cc") else "no cc"):
        shutil.rmtree(folder)
        return skipped("disk-faults", reason)
    print(f"disk-faults: seed {options.seed}, in {folder}", file=sys.stderr, flush=True)
    status = enclosed(lambda: run_all(options, scenarios, folder))
    if options.keep or status == 1:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    return status


def run_all(options, scenarios, folder):
    began = time.monotonic()
    runs = [scenarios[name](options, folder) for name in options.only or scenarios]
    threads = [threading.Thread(target=run.run) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    right = not any(run.problems for run in runs)
    for run in runs:
        for problem in run.problems[:10]:
            print(f"FAIL {run.name}: {problem}")
        print(f"{'FAIL' if run.problems else 'ok  '} {run.name}: {'; '.join(run.story)}")
    print(f"disk-faults: seed {options.seed}, {time.monotonic() - began:.0f} s")
    return 0 if right else 1


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
