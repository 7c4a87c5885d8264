#!/usr/bin/env python3
"""Compares what a server has stored about one drive with what the true track makes of the fences.

    check_events.py --truth TRUTH --fences FENCES (--server URL --key-file FILE | --events FILE)
                    [--visits FILE] [--device ID] [--blind FILE] [--default-dwell S]
                    [--tolerance S] [--json FILE]

--events takes NDJSON of events, or what `geofence-field replay` prints.

Checked: every required event is there exactly once and within the tolerance; nothing else is, but
for what is ambiguous; enter and exit alternate for each fence, dwell between them; ids are unique;
seq is gapless within its epoch and agrees with the order of detection; each dwell has one visit with
the times of its enter and exit.  A table is printed; exit status 1 on any difference.
"""
import argparse
import json
import sys
import urllib.parse
import urllib.request

import expected_events as oracle
import fences as fence_files
import truth as truth_files

TRACKED = ("enter", "exit", "dwell", "pass")
# What a device tells about itself; the last two mean loss and are never in order here.
DEVICE_EVENTS = ("coverage_lost", "coverage_restored", "moved", "visit_started", "visit_ended")
PAGE = 200


class Told:
    """An event as the server has it."""

    def __init__(self, row, number):
        """`number` stands for the ids that a replay does not give."""
        event = row.get("event", row)
        self.device = row.get("device_id") or event.get("device_id")
        self.id = str(event.get("client_event_id", number))
        self.epoch, self.seq = event.get("queue_epoch"), int(event.get("seq", number))
        self.type, self.fence_id = event["type"], event.get("fence_id")
        self.fence_id = None if self.fence_id is None else str(self.fence_id)
        self.visit_id = event.get("visit_id")
        self.initial = bool(event.get("initial"))
        # What had no time when it was kept, the server resolves by a clock anchor of that boot.
        self.occurred, self.detected = (
            moment(event, key) or moment(event, f"resolved_{key}")
            for key in ("occurred_at", "detected_at"))
        self.boot, self.mono_ms = event.get("boot_id"), event.get("mono_ms")

    def label(self):
        return f"{self.type} {self.fence_id} (seq {self.seq})"


def moment(row, key):
    return None if row.get(key) is None else truth_files.seconds(row[key])


class Difference:
    def __init__(self, what, detail):
        self.what, self.detail = what, detail


class Match:
    """A row of the table."""

    def __init__(self, wanted, got, verdict, limit_s=None):
        self.wanted, self.got, self.verdict, self.limit_s = wanted, got, verdict, limit_s

    @property
    def error_s(self):
        if not self.wanted or not self.got or self.got.occurred is None:
            return None
        return self.got.occurred - self.wanted.at


def match(expected, told, tolerance_s):
    """Pairs each expectation with the first event that fits, in order, required ones first."""
    matches, left = [], sorted(told, key=lambda event: event.seq)
    for required in (True, False):
        for wanted in (event for event in expected if event.required == required):
            found = next((event for event in left if fits(wanted, event, tolerance_s)), None)
            if found:
                left.remove(found)
                verdict = "ok" if required else "allowed"
                matches.append(Match(wanted, found, verdict, tolerance_s))
            elif required:
                matches.append(Match(wanted, None, "MISSING"))
    matches += [Match(None, event, "SPURIOUS") for event in left]
    return sorted(matches, key=lambda row: row.wanted.at if row.wanted else row.got.occurred or 0)


def fits(wanted, event, tolerance_s):
    return (event.type == wanted.type and event.fence_id == wanted.fence_id
            and event.occurred is not None
            and wanted.earliest - tolerance_s <= event.occurred <= wanted.latest + tolerance_s)


def check_sequence(told):
    """Ids once, seq gapless from 1, no second epoch, order of detection."""
    problems = []
    for name, key in (("client_event_id", lambda e: e.id),
                      ("(device, epoch, seq)", lambda e: (e.device, e.epoch, e.seq))):
        seen = set()
        for event in told:
            if key(event) in seen:
                problems.append(Difference("duplicate", f"{name} of {event.label()}"))
            seen.add(key(event))
    epochs = {}
    for event in told:
        epochs.setdefault((event.device, event.epoch), []).append(event)
    if len(epochs) > 1:
        problems.append(Difference("epochs", f"{len(epochs)} queue epochs instead of one"))
    for (device, _), events in epochs.items():
        events.sort(key=lambda event: event.seq)
        numbers = [event.seq for event in events]
        gaps = sorted(set(range(1, numbers[-1] + 1)) - set(numbers))
        if gaps:
            problems.append(Difference("gap", f"{device} lacks seq {gaps[:10]} of {numbers[-1]}"))
        for before, after in zip(events, events[1:]):
            clocks = [(before.mono_ms, after.mono_ms)] if before.boot == after.boot else []
            clocks.append((before.detected, after.detected))
            if any(a is not None and b is not None and b < a for a, b in clocks):
                problems.append(
                    Difference("order", f"{after.label()} was detected before {before.label()}"))
    return problems


def check_balance(told):
    """Enter and exit alternate, dwell and exit only inside."""
    problems, inside = [], {}
    for event in sorted(told, key=lambda event: event.seq):
        if event.type not in ("enter", "exit", "dwell"):
            continue
        was_inside = inside.get(event.fence_id, False)
        if was_inside != (event.type != "enter"):
            problems.append(Difference(
                "balance", f"{event.label()} while {'inside' if was_inside else 'outside'}"))
        if event.type != "dwell":
            inside[event.fence_id] = event.type == "enter"
    return problems


def check_visits(told, visits, tolerance_s=1.0):
    """One visit for each dwell, from its enter to its exit."""
    problems, stays, left = [], {}, list(visits)
    for event in sorted(told, key=lambda event: event.seq):
        if event.type == "enter":
            stays[event.fence_id] = event
        elif event.type == "dwell":
            leaving = next((other for other in sorted(told, key=lambda e: e.seq)
                            if other.seq > event.seq and other.type == "exit"
                            and other.fence_id == event.fence_id), None)
            problems += check_visit(stays.get(event.fence_id), event, leaving, left, tolerance_s)
    problems += [Difference("visit", f"without a dwell: {json.dumps(visit)}") for visit in left]
    return problems


def check_visit(entering, dwell, leaving, left, tolerance_s):
    def is_it(visit):
        if dwell.visit_id is not None:
            return str(visit.get("visit_id", visit.get("id"))) == str(dwell.visit_id)
        start = moment(visit, "started_at")
        return (str(visit["fence_id"]) == dwell.fence_id and entering is not None
                and start is not None and abs(start - entering.occurred) <= tolerance_s)

    visit = next((candidate for candidate in left if is_it(candidate)), None)
    if visit is None:
        return [Difference("visit", f"none for {dwell.label()}")]
    left.remove(visit)
    problems = []
    for key, event in (("started_at", entering), ("ended_at", leaving)):
        got, wanted = moment(visit, key), event and event.occurred
        if (got is None) != (wanted is None) or got is not None and abs(got - wanted) > tolerance_s:
            problems.append(Difference(
                "visit", f"{dwell.fence_id}: {key} {visit.get(key)} is not that of "
                         f"{event.label() if event else 'an open visit'}"))
    if leaving and entering:
        length = leaving.occurred - entering.occurred
        got = visit.get("duration_s")
        if got is None or abs(got - length) > tolerance_s:
            problems.append(Difference(
                "visit", f"{dwell.fence_id}: duration_s {got} instead of {length:.1f}"))
    return problems


def check(expected, told, visits, tolerance_s, start):
    """The rows of the table and everything that is wrong.

    An enter within the first seconds after `start` may be found by the first positions, as initial.
    """
    problems = check_sequence(told) + check_balance(told)
    rows = match(expected, [event for event in told if event.type in TRACKED], tolerance_s)
    problems += [Difference(row.verdict, f"{row.wanted.type} {row.wanted.fence_id} at "
                            f"{truth_files.text(row.wanted.at)}" if row.wanted
                            else row.got.label())
                 for row in rows if row.verdict in ("MISSING", "SPURIOUS")]
    problems += [Difference("initial", f"{row.got.label()}: initial is {row.got.initial}")
                 for row in rows if row.verdict == "ok" and row.wanted.type == "enter"
                 and row.got.initial != (row.wanted.initial or row.got.initial
                                         and row.wanted.at < start + oracle.INITIAL_S)]
    problems += [Difference("device event", event.label()) for event in told
                 if event.type not in TRACKED + DEVICE_EVENTS]
    if visits is not None:
        problems += check_visits(told, visits)
    return rows, problems


def table(rows):
    lines = [("fence", "event", "true time", "occurred", "off by", "decided", "verdict")]
    for row in rows:
        wanted, got = row.wanted, row.got
        detected = got.detected if got else None
        lines.append((
            wanted.fence_id if wanted else str(got.fence_id),
            wanted.type if wanted else got.type,
            truth_files.text(wanted.at)[11:23] if wanted else "-",
            truth_files.text(got.occurred)[11:23] if got and got.occurred else "-",
            "-" if row.error_s is None else f"{row.error_s:+.2f} s",
            "-" if detected is None or not wanted else f"{detected - wanted.at:+.2f} s",
            row.verdict + (" (blind)" if wanted and got and wanted.latest - wanted.at > 1
                           and abs(row.error_s or 0) > (row.limit_s or 0) else "")))
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                     for line in lines)


def fetch(server, path, key, name):
    """All pages of an admin list."""
    # No proxy: the server of a test stands on loopback.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    rows, cursor = [], None
    while True:
        query = {"limit": PAGE} | ({"cursor": cursor} if cursor else {})
        request = urllib.request.Request(
            f"{server}{path}?{urllib.parse.urlencode(query)}",
            headers={"Authorization": f"Bearer {key}"})
        with opener.open(request, timeout=30) as answer:
            page = json.load(answer)
        rows += page[name]
        cursor = page.get("next")
        if not cursor or not page[name]:
            return rows


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True)
    parser.add_argument("--fences", required=True)
    parser.add_argument("--server", help="URL of a running server")
    parser.add_argument("--key-file", help="holds its admin key")
    parser.add_argument("--events", help="NDJSON of events instead of a server")
    parser.add_argument("--visits", help="NDJSON of visits instead of a server")
    parser.add_argument("--device", help="only this device's events")
    parser.add_argument("--blind", help="NDJSON {from, to}: nobody read the receiver")
    parser.add_argument("--default-dwell", type=float, metavar="S")
    parser.add_argument("--tolerance", type=float, default=3.0, metavar="S")
    parser.add_argument("--json", metavar="FILE", help="write rows and differences there too")
    options = parser.parse_args()
    if bool(options.server) == bool(options.events) or bool(options.server) != bool(
            options.key_file):
        parser.error("either --server with --key-file, or --events")
    try:
        samples = truth_files.load(options.truth)
        fences = fence_files.load(options.fences, options.default_dwell)
        expected = oracle.expected_events(fences, samples, oracle.load_blind(options.blind))
        if options.server:
            with open(options.key_file, encoding="utf-8") as file:
                key = file.read().strip()
            events = fetch(options.server, "/v1/admin/events", key, "events")
            visits = fetch(options.server, "/v1/admin/visits", key, "visits")
        else:
            events = read_lines(options.events)
            visits = read_lines(options.visits) if options.visits else None
        told = [Told(row, number) for number, row in enumerate(events, 1)]
    except (OSError, ValueError, KeyError) as error:
        print(f"check_events.py: {error!r}", file=sys.stderr)
        return 2
    if options.device:
        told = [event for event in told if event.device == options.device]
        visits = visits and [row for row in visits if row.get("device_id") == options.device]
    rows, problems = check(expected, told, visits, options.tolerance, samples[0].time)
    print(table(rows))
    for problem in problems:
        print(f"DIFFERENCE {problem.what}: {problem.detail}")
    good = sum(row.verdict == "ok" for row in rows)
    required = sum(event.required for event in expected)
    print(f"{good} of {required} required events, {len(told)} stored, "
          f"{'-' if visits is None else len(visits)} visits, {len(problems)} differences")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"required": required, "matched": good, "stored": len(told),
                       "differences": [vars(problem) for problem in problems],
                       "errors_s": [row.error_s for row in rows if row.error_s is not None]},
                      file, indent=1)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
