"""The account of what was made durable, on lines as strace writes them."""
import unittest

from syncs import Account

LOG, DATABASE = "7</var/state/queue.db-wal>", "5</var/state/queue.db>"


def frame(page, size, thread=11):
    header = page.to_bytes(4, "big") + size.to_bytes(4, "big") + bytes(range(16))
    text = "".join(f"\\x{byte:02x}" for byte in header)
    return [f'{thread} pwrite64({LOG}, "{text}", 24, 32) = 24',
            f'{thread} pwrite64({LOG}, "\\x0d\\x00"..., 1024, 56) = 1024']


def commit(*pages):
    lines = [line for page in pages[:-1] for line in frame(page, 0)]
    return lines + frame(pages[-1], 40) + [f"11 fdatasync({LOG}) = 0"]


def checkpoint():
    return [f"11 fdatasync({LOG}) = 0", f'11 pwrite64({DATABASE}, "a"..., 1024, 0) = 1024',
            f'11 pwrite64({DATABASE}, "b"..., 1024, 4096) = 1024', f"11 fdatasync({DATABASE}) = 0"]


class AccountTests(unittest.TestCase):
    def test_one_sync_for_each_commit_and_three_for_a_checkpoint(self):
        restart = [f'11 pwrite64({LOG}, "\\x37\\x7f"..., 32, 0) = 32', f"11 fdatasync({LOG}) = 0"]
        account = Account(commit(1, 3) + commit(5) + checkpoint() + restart + commit(3, 4, 5))
        self.assertEqual((account.commits, account.checkpoints), (3, 1))
        self.assertEqual((account.log_syncs, account.database_syncs), (5, 1))
        self.assertEqual(account.per_checkpoint(), 3)
        self.assertEqual(list(account.failures()), [])

    def test_commits_of_events_are_told_from_those_of_state(self):
        account = Account(commit(1, 5) + commit(3) + checkpoint(), counters_page=5)
        self.assertEqual((account.commits, account.event_commits), (2, 1))
        self.assertEqual((account.event_bytes, account.state_bytes), (4096, 4096))
        self.assertEqual(account.checkpoint_bytes, 2 * 4096)
        self.assertEqual(account.bytes(), 4 * 4096)

    def test_state_after_the_last_event_is_counted_apart(self):
        def told(number):
            return [f'12 write(2</dev/shm/log>, "notice: event {number} dwell fen"..., 33) = 33']

        event = commit(1, 5)
        lines = (event + told(6) + commit(3) + event + told(7) + commit(3) + event + commit(3)
                 + event + told(8) + commit(3))
        for last, late in ((None, 0), (6, 4), (7, 3), (8, 1), (9, 0)):
            account = Account(lines, 5, last)
            self.assertEqual((account.state_bytes, account.late_bytes), (4 * 4096, late * 4096), last)

    def test_a_commit_that_syncs_twice_fails(self):
        account = Account(commit(1) + commit(2) + [f"11 fdatasync({LOG}) = 0"])
        self.assertEqual(len(list(account.failures())), 1)

    def test_a_fourth_sync_of_a_checkpoint_fails(self):
        extra = 2 * [f"11 fdatasync({LOG}) = 0"]
        account = Account(commit(1) + checkpoint() + extra)
        self.assertEqual(len(list(account.failures())), 1)

    def test_any_other_sync_fails(self):
        for line in ("11 fsync(9</var/state/ballast>) = 0", f"11 fsync({LOG}) = 0",
                     "11 fdatasync(9</var/state/else>) = 0", "11 sync() = 0",
                     "11 msync(0x7f0000000000, 4096, MS_SYNC) = 0"):
            account = Account(commit(1) + [line])
            self.assertEqual(len(account.other_syncs), 1, line)
            self.assertEqual(len(list(account.failures())), 1, line)

    def test_a_call_that_another_thread_interrupts_counts_once(self):
        lines = commit(1)[:-1] + [f"11 fdatasync({LOG} <unfinished ...>",
                                  "12 write(8</dev/shm/log>, \"x\", 1) = 1",
                                  "11 <... fdatasync resumed>)      = 0"]
        self.assertEqual(Account(lines).log_syncs, 1)
        self.assertEqual(list(Account(lines).failures()), [])

    def test_an_empty_trace_proves_nothing(self):
        self.assertEqual(len(list(Account([]).failures())), 1)


if __name__ == "__main__":
    unittest.main()
