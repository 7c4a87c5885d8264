"""Rates of the agent's queue side by side with others, and its writes and syncs.

The rounds of all contestants take turns, so that a busy disk slows each of them.  Quoted are ratios of
medians over the rounds.
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import persistqueue

import syncs
import wear
from rig import MEMORY, Failure, build, file_system, median

THRESHOLD, SKIPPED = 5, 77
# Of the issue: raw append + fdatasync, persist-queue, single commits; microseconds an event.
BARS = {"of_raw": 0.5, "of_persist_queue": 1.2, "batch_of_single": 30.0}
EVENT_LIMIT_US = 20.0


def ours(programs, disk, commits, batches):
    run = subprocess.run(
        [str(programs / "geofence-field"), "bench", "queue", "--directory", disk, "--memory", MEMORY,
         "--rounds", "1", "--commits", str(commits), "--batches", str(batches), "--json"],
        check=True, capture_output=True, text=True)
    return json.loads(run.stdout)


class PersistQueue:
    """Its queues with acknowledgement and without, one commit for each put."""

    def __init__(self, disk):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-bench.", dir=disk))
        self.queues = {
            "ack": persistqueue.SQLiteAckQueue(str(self.folder / "ack"), auto_commit=True,
                                               multithreading=False),
            "plain": persistqueue.SQLiteQueue(str(self.folder / "plain"), auto_commit=True,
                                              multithreading=False)}
        for queue in self.queues.values():
            self.check(queue)

    @staticmethod
    def check(queue):
        """Whether it waits for the disk: the log of WAL is synced at each commit with FULL only."""
        level = queue._putter.execute("PRAGMA synchronous").fetchone()[0]
        journal = queue._putter.execute("PRAGMA journal_mode").fetchone()[0]
        if level < 2:
            raise Failure(f"persist-queue: synchronous {level} with {journal} is not durable")

    def rate(self, name, record, commits):
        queue = self.queues[name]
        began = time.perf_counter()
        for _ in range(commits):
            queue.put(record)
        return commits / (time.perf_counter() - began)

    def close(self):
        for queue in self.queues.values():
            queue.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def rates(programs, disk, rounds, commits, batches):
    others = PersistQueue(disk)
    table = {}
    try:
        for _ in range(rounds):
            figures = ours(programs, disk, commits, batches)
            record = b"x" * figures["record_bytes"]
            for name in ("ack", "plain"):
                figures[f"persist_{name}_per_s"] = others.rate(name, record, commits)
            for name, value in figures.items():
                if name not in ("bench", "rounds"):
                    table.setdefault(name, []).append(value)
    finally:
        others.close()
    result = {name: round(median(values), 1) for name, values in table.items()}
    best = max(result["persist_ack_per_s"], result["persist_plain_per_s"])
    result["ratios"] = {
        "of_raw": round(result["single_per_s"] / result["raw_per_s"], 2),
        "of_persist_queue": round(result["single_per_s"] / best, 2),
        "batch_of_single": round(result["batch_per_s"] / result["single_per_s"], 1)}
    result["rounds"] = rounds
    return result


def missed(result):
    for name, bar in BARS.items():
        if result["ratios"][name] < bar:
            yield f"{name} is {result['ratios'][name]}, at least {bar}"
    if result["event_us"] > EVENT_LIMIT_US:
        yield f"event_us is {result['event_us']}, at most {EVENT_LIMIT_US}"


def parse():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--disk", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--no-rates", action="store_true")
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    programs = options.bin or build(["geofenced", "geofence-server", "geofence-field"])
    kind = file_system(options.disk)
    if kind in ("tmpfs", "ramfs", "overlayfs"):
        print(f"bench-queue: skipped: {options.disk} is {kind}, not a disk", file=sys.stderr)
        return SKIPPED
    if shutil.which("strace") is None:
        print("bench-queue: skipped: no strace", file=sys.stderr)
        return SKIPPED
    result, wrong, slow = {"file_system": kind}, [], []
    try:
        if not options.no_rates:
            rounds, commits, batches = (3, 100, 10) if options.short else (7, 300, 30)
            result["rates"] = rates(programs, options.disk, rounds, commits, batches)
            slow = list(missed(result["rates"]))
        written = wear.measure(
            programs, options.disk, *((5, 300, 600) if options.short else (30, 1200, 3600)))
    except Failure as failure:
        print(f"bench-queue: {failure}", file=sys.stderr)
        return 1
    wrong = list(wear.failures(written))
    result["writes"] = {name: value.figures() if isinstance(value, syncs.Account) else value
                        for name, value in written.items()}
    if options.json:
        print(json.dumps(result))
    else:
        for section, figures in result.items():
            print(f"{section}: {figures}")
    for problem in wrong + slow:
        print(f"bench-queue: {problem}", file=sys.stderr)
    return 1 if wrong else THRESHOLD if slow and options.require else 0


if __name__ == "__main__":
    sys.exit(main())
