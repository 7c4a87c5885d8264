"""What a traced agent wrote to its queue and made durable, from the lines of strace.

A commit is seen in the log itself: SQLite writes the header of a frame, 24 bytes, by itself, and the
one that ends a transaction names the size of the database in its bytes 4 to 8 (fileformat2.html,
section 4.1).  A checkpoint is a run of writes to the database file.

Bytes are counted as the kernel does in /proc/PID/io: a page of 4 KiB counts when it is touched for the
first time after it was written back, so what lies between two syncs is so many different pages.
"""
import re
import subprocess

TRACED = "fsync,fdatasync,sync,syncfs,sync_file_range,msync,pwrite64,write,pwritev,writev,ftruncate"
SYNCS = {"fsync", "fdatasync", "sync", "syncfs", "sync_file_range", "msync"}
CALL = re.compile(r"(?:^|\s)(\w+)\((?:\d+<([^>]*)>)?(.*)$")
FRAME = re.compile(r'^, "((?:\\x[0-9a-f]{2})+)"(?:\.\.\.)?, 24, ')
PLACE = re.compile(r", (\d+), (\d+)(?:\)| <unfinished)")
# A line of the journal, after the commit of its event.
TOLD = re.compile(r', "\w+: event (\d+) ')
FRAME_HEADER_BYTES = 24
KERNEL_PAGE_BYTES = 4096


def attach(pid, output):
    return subprocess.Popen(["strace", "-f", "-y", "-x", "-s", str(FRAME_HEADER_BYTES), "-o", output,
                             "-e", f"trace={TRACED}", "-p", str(pid)],
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL)


def frame(rest):
    """The page of a frame and whether it ends a transaction; None: this is no header of a frame."""
    found = FRAME.match(rest)
    header = bytes.fromhex(found[1].replace("\\x", "")) if found else b""
    if len(header) != FRAME_HEADER_BYTES:
        return None
    return int.from_bytes(header[:4], "big"), header[4:8] != bytes(4)


def touched(rest):
    """Pages of the kernel that a pwrite64 touches."""
    place = PLACE.search(rest)
    if place is None:
        return set()
    count, offset = int(place[1]), int(place[2])
    return set(range(offset // KERNEL_PAGE_BYTES, (offset + count - 1) // KERNEL_PAGE_BYTES + 1))


class Account:
    """What was counted between two looks at the trace.

    `counters_page`: the page of the table that every event and every receipt changes, and nothing else.
    """

    def __init__(self, lines, counters_page=None, last_event=None):
        self.counters_page, self.last_event = counters_page, last_event
        self.commits = self.event_commits = self.state_commits = self.checkpoints = 0
        self.log_syncs = self.database_syncs = 0
        self.event_bytes = self.state_bytes = self.checkpoint_bytes = 0
        # Of the tracker's state, since the agent told of `last_event`.
        self.late_bytes = self.told = 0
        self.other_syncs = []
        self.in_checkpoint = self.holds_counters = self.holds_commit = False
        self.log_pages, self.database_pages = set(), set()
        for line in lines:
            call = CALL.search(line)
            if call is not None and " resumed>" not in line:
                self.take(call[1], call[2] or "", call[3])

    def take(self, name, path, rest):
        is_log, is_database = path.endswith("/queue.db-wal"), path.endswith("/queue.db")
        if name == "fdatasync" and is_log:
            self.log_syncs += 1
            self.close_log()
        elif name == "fdatasync" and is_database:
            self.database_syncs += 1
            self.checkpoint_bytes += len(self.database_pages) * KERNEL_PAGE_BYTES
            self.database_pages = set()
        elif name in SYNCS:
            self.other_syncs.append(f"{name} {path or rest.strip()}")
        elif is_log and name == "pwrite64":
            self.in_checkpoint = False
            self.log_pages |= touched(rest)
            header = frame(rest)
            if header is not None:
                self.holds_counters |= header[0] == self.counters_page
                self.holds_commit |= header[1]
                self.commits += header[1]
        elif name == "write" and (told := TOLD.search(rest)):
            self.told = int(told[1])
        elif is_database and name == "pwrite64":
            self.checkpoints += not self.in_checkpoint
            self.in_checkpoint = True
            self.database_pages |= touched(rest)

    def close_log(self):
        """What was written to the log since its last sync belongs to one commit, or to none."""
        written = len(self.log_pages) * KERNEL_PAGE_BYTES
        if not self.holds_commit:
            self.checkpoint_bytes += written
        elif self.holds_counters:
            self.event_commits += 1
            self.event_bytes += written
        else:
            self.state_commits += 1
            self.state_bytes += written
            if self.last_event and self.told >= self.last_event:
                self.late_bytes += written
        self.log_pages, self.holds_counters, self.holds_commit = set(), False, False

    def bytes(self):
        return self.event_bytes + self.state_bytes + self.checkpoint_bytes

    def per_checkpoint(self):
        """Syncs beyond one for each commit, of each checkpoint."""
        extra = self.log_syncs + self.database_syncs - self.commits
        return extra / self.checkpoints if self.checkpoints else float(extra)

    def failures(self, is_busy=True):
        if is_busy and not self.commits:
            yield "the trace holds no commit"
        extra = self.log_syncs + self.database_syncs - self.commits
        if extra > 3 * self.checkpoints:
            yield (f"{extra} fdatasync beyond one for each of {self.commits} commits, with "
                   f"{self.checkpoints} checkpoints")
        if self.other_syncs:
            yield f"{len(self.other_syncs)} other syncs: {', '.join(sorted(set(self.other_syncs)))}"

    def figures(self):
        return {"commits": self.commits, "of_events_and_receipts": self.event_commits,
                "of_state_alone": self.state_commits,
                "checkpoints": self.checkpoints, "event_bytes": self.event_bytes,
                "state_bytes": self.state_bytes, "checkpoint_bytes": self.checkpoint_bytes,
                "fdatasync_log": self.log_syncs, "fdatasync_database": self.database_syncs,
                "per_checkpoint": round(self.per_checkpoint(), 2), "other": self.other_syncs}
