"""Cuts the power under the real agent and the real server, and compares what they promised with what is there.

Each has its database on an ext4 of its own on a loop device.  At a random moment the program is stopped
(SIGSTOP), the file system is shut down without a flush of its log, the program is killed, and the disk
is mounted again.  The agent drives so fast past fences that it commits every few milliseconds; an event
that its log tells of has been committed.  Clients upload to the server without end; an event that was
answered has been committed.  Then integrity_check must be clean, every promised event must be there
once, the counts must match the rows, and the next start of the program must go on from there.

The agent uploads to a server whose disk stays; at the end every event that was ever told is there once,
and no number was given to two events.

Needs root and loop devices; where that is not granted it says so and skips; in CI it fails.
Exit status: 0 right or skipped, 1 something was lost, damaged or doubled.
"""
import argparse
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

from loop_disk import LoopDisk, refusal
from programs import SOUND, TOP, Agent, Failure, Server, enclosed, look, skipped, tail, wait_for, write_drive
from uploader import Uploader, check_stored

# After so many cuts a new file system, so that young databases are cut, too.
CUTS_OF_A_DISK = 25
DRIVE_S = 40_000
DEVICE = "cut"


def say(text):
    print(f"power-cut: {text}", file=sys.stderr, flush=True)


def cut(disk, child):
    """The program stands still, the power goes, the program is gone. What nobody had synced is gone, too."""
    child.send(signal.SIGSTOP)
    # Every thread stands, or is in the middle of a write (D), which the cut tears.
    await_states(child, {"T", "D"})
    # Not synced by anybody: were it there afterwards, the cut would be none, and the row would prove nothing.
    witness = disk.path / "witness"
    witness.write_bytes(b"not synced")
    disk.cut()
    await_states(child, {"T"})
    yield
    child.kill()
    disk.unmount()
    disk.mount()
    if witness.exists() and witness.read_bytes():
        raise Failure("what nobody had synced outlived the cut: it was none")
    witness.unlink(missing_ok=True)


def await_states(child, wanted):
    deadline = time.monotonic() + 30
    while not states(child.process.pid) <= wanted:
        if time.monotonic() > deadline:
            raise Failure(f"{child.name} does not stop: {states(child.process.pid)}")


def states(pid):
    found = set()
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found.add((task / "stat").read_text().rpartition(")")[2].split()[0])
        except OSError:
            pass
    return found


class AgentCuts:
    def __init__(self, programs, folder, options, generator):
        self.programs, self.folder, self.options, self.random = programs, folder, options, generator
        self.promised = self.unpromised = self.lost = 0
        self.problems = []

    def run(self):
        self.server = Server(self.programs, self.folder)
        self.server.make()
        drive = self.folder / "drive.nmea"
        write_drive(drive, DRIVE_S)
        disk = agent = None
        try:
            for number in range(self.options.agent):
                if number % CUTS_OF_A_DISK == 0:
                    if disk:
                        self.finish(agent)
                        disk.close()
                    disk = LoopDisk(self.folder, f"agent-{number}", 64)
                    disk.make()
                    self.device = f"{DEVICE}-{number}"
                    agent = Agent(self.programs, self.folder, disk.path / "state", self.server, drive, self.device)
                    self.told, self.epoch, self.last = {}, None, 0
                self.round(number, disk, agent)
            if disk:
                self.finish(agent)
        finally:
            self.server.child.stop(20)
            if agent and agent.child.is_running:
                agent.child.kill()
            if disk:
                disk.close()

    def round(self, number, disk, agent):
        agent.start()
        agent.await_(lambda: len(agent.told()) >= 5, "events")
        time.sleep(self.random.uniform(0, 0.4))
        if not agent.child.is_running:
            raise Failure(f"geofenced ended by itself:\n{tail(agent.child.log())}")
        for _ in cut(disk, agent.child):
            told = agent.told()
        if "damaged" in agent.since() or "quarantine" in agent.since():
            self.problems.append(f"cut {number}: the start before found damage:\n{tail(agent.since())}")
        self.promised += len(told)
        for sequence, kind, fence in told:
            if sequence in self.told:
                self.problems.append(f"cut {number}: {sequence} was given to two events")
            self.told[sequence] = (kind, fence)
        try:
            self.check(number, disk)
        except (OSError, sqlite3.Error) as error:
            self.problems.append(f"cut {number}: {error}: all {len(self.told)} promised events are lost")
            self.lost += len(self.told)
            self.told, self.epoch, self.last = {}, None, 0

    def check(self, number, disk):
        with look(disk.path / "state" / "queue.db") as connection:
            rows = {key: kind for key, kind in connection.execute("SELECT key, kind FROM events")}
            pending = connection.execute("SELECT count(*) FROM events WHERE status = 0").fetchone()[0]
            (enqueued, acknowledged, kept, dead, evicted) = connection.execute(
                "SELECT enqueued, acknowledged, pending, dead, evicted FROM counters").fetchone()
            epoch = connection.execute("SELECT value FROM meta WHERE name = 'epoch'").fetchone()[0]
            last = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'events'").fetchone()[0]
        if self.epoch not in (None, epoch):
            self.problems.append(f"cut {number}: another epoch")
        self.epoch = epoch
        # The oldest acknowledged rows are deleted in time: those that the server has are not lost.
        received = {row[1]: row[2] for row in self.server.events(self.device) if row[0] == epoch}
        lost = [sequence for sequence, (kind, _) in self.told.items()
                if rows.get(sequence, received.get(sequence)) != kind or sequence > last]
        for sequence in lost:
            del self.told[sequence]
        self.lost += len(lost)
        if lost:
            self.problems.append(f"cut {number}: {len(lost)} promised events are lost, such as {lost[:5]}")
        if (enqueued, kept) != (last, pending) or enqueued != acknowledged + kept + dead + evicted:
            self.problems.append(f"cut {number}: counts {enqueued} = {acknowledged} + {kept} + {dead} + {evicted}, "
                                 f"but {pending} rows wait and {last} numbers were given")
        self.unpromised += last - max([self.last, *self.told])
        self.last = last

    def finish(self, agent):
        """What is left is sent; then the server has every event once, in one epoch without a gap."""
        agent.start()
        codes = agent.doctor()
        if not SOUND <= codes:
            self.problems.append(f"the doctor says {sorted(codes)}")
        agent.stop()
        agent.flush()
        for sequence, kind, fence in agent.told():
            self.told[sequence] = (kind, fence)
        rows = self.server.events(self.device)
        epochs = {row[0] for row in rows}
        stored = [row[1] for row in rows]
        if len(epochs) != 1 or stored != list(range(1, len(stored) + 1)):
            self.problems.append(f"the server has {len(stored)} events of {len(epochs)} epochs, with gaps or doubles")
        wrong = [row[1] for row in rows if row[1] in self.told and self.told[row[1]] != (row[2], row[3])]
        missing = set(self.told) - set(stored)
        if wrong or missing:
            self.problems.append(f"on the server {len(wrong)} events are others, {len(missing)} are missing")


class ServerCuts:
    def __init__(self, programs, folder, options, generator):
        self.programs, self.folder, self.options, self.random = programs, folder, options, generator
        self.promised = self.unpromised = self.lost = 0
        self.problems = []

    def run(self):
        disk = LoopDisk(self.folder, "server", 256)
        disk.make()
        uploaders = []
        server = Server(self.programs, self.folder, disk.path / "server.db")
        try:
            server.make()
            uploaders = [Uploader(server.port, server.device, number, self.options.seed) for number in range(3)]
            for uploader in uploaders:
                uploader.start()
            for number in range(self.options.server):
                self.round(number, disk, server, uploaders)
            server.start()
            time.sleep(0.5)
            for uploader in uploaders:
                uploader.stop()
            with look(server.database) as connection:
                self.compare("the end", connection, uploaders)
            self.promised = sum(len(uploader.acknowledged) for uploader in uploaders)
            self.problems += [problem for uploader in uploaders for problem in uploader.problems[:3]]
            say(f"server: {sum(u.batches for u in uploaders)} batches, {sum(u.retries for u in uploaders)} sent "
                f"again, {sum(u.duplicates for u in uploaders)} duplicates answered")
        finally:
            for uploader in uploaders:
                uploader.ended.set()
            server.child.stop(20)
            disk.close()

    def round(self, number, disk, server, uploaders):
        if number:
            server.start()
        before = sum(len(uploader.acknowledged) for uploader in uploaders)
        wait_for(lambda: sum(len(uploader.acknowledged) for uploader in uploaders) > before + 20, "answers",
                 [server.child], 60, story=lambda: tail(server.child.log()))
        time.sleep(self.random.uniform(0, 0.4))
        for _ in cut(disk, server.child):
            # Answers that had been given are on their way still.
            time.sleep(0.05)
        with look(server.database) as connection:
            self.compare(f"cut {number}", connection, uploaders)

    def compare(self, when, connection, uploaders):
        _, lost, twice, self.unpromised = check_stored(connection, uploaders)
        for uploader in uploaders:
            for name in set(lost) & set(uploader.acknowledged):
                del uploader.acknowledged[name]
        self.lost += len(lost)
        if lost or twice:
            self.problems.append(f"{when}: {len(lost)} acknowledged events are lost, {len(twice)} are there twice: "
                                 f"{(lost + twice)[:5]}")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/power-cut", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agent", type=int, default=5, metavar="N", help="cuts under the agent (default 5)")
    parser.add_argument("--server", type=int, default=3, metavar="N", help="cuts under the server (default 3)")
    parser.add_argument("--seed", type=int, default=None, help="default: random, and printed")
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--keep", action="store_true", help="keep the folder with logs and images")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.SystemRandom().randrange(1_000_000)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-cut."))
    if reason := refusal(folder):
        shutil.rmtree(folder)
        return skipped("power-cut", reason)
    say(f"seed {options.seed}, in {folder}")
    status = enclosed(lambda: run(options, folder))
    if options.keep or status == 1:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    return status


def run(options, folder):
    programs = options.bin.resolve()
    parts = []
    for name, part in (("agent", AgentCuts), ("server", ServerCuts)):
        place = folder / name
        place.mkdir()
        parts.append((name, part(programs, place, options, random.Random(f"{options.seed} {name}"))))

    def work(part):
        try:
            part.run()
        except (Failure, OSError, ValueError, KeyError, sqlite3.Error, subprocess.SubprocessError) as error:
            part.problems.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(part,)) for _, part in parts]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    right = True
    for name, part in parts:
        for problem in part.problems[:20]:
            print(f"FAIL {name}: {problem}")
        right = right and not part.problems
        print(f"{'FAIL' if part.problems else 'ok  '} {name}: {getattr(options, name)} cuts, {part.promised} events "
              f"promised, {part.lost} lost, {part.unpromised} more that nobody had been told of")
    print(f"power-cut: seed {options.seed}, {time.monotonic() - began:.0f} s")
    return 0 if right else 1


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
