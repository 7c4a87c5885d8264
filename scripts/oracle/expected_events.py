#!/usr/bin/env python3
"""What a true track makes of fences: the enter, exit and dwell events that must be reported.

    expected_events.py --truth TRUTH.ndjson --fences FENCES.json [--default-dwell S]
                       [--blind BLIND.ndjson]

TRUTH.ndjson has lines {"time", "lat", "lon", "sigma_m"}; FENCES.json is GeoJSON (Point + radius_m is
a circle) or the wire form.  One JSON object a line is printed, in the order of time:

    {"fence_id", "type", "at", "earliest", "latest", "required", "initial", "why"}

`at` is when the track crosses the line (dwell: enter + dwell_s).  A crossing is required only if the
track goes at least max(5 m, 2 sigma) past the line and stays past it for at least 3 s; else it is
ambiguous: neither required nor wrong, between `earliest` and `latest`.  `latest` of a required
crossing is when the track is that far past the line: whoever parks on a line is in no hurry.  Distances are geodesic
(geographiclib) for circles and planar (shapely) on a projection around each polygon.

BLIND.ndjson has lines {"from", "to"}: times in which nobody read the receiver.  A stretch that could
not be seen for 3 s in one piece is ambiguous, and a crossing that could not be confirmed within
4 s may be told until 6 s after the receiver was read again.
"""
import argparse
import json
import sys

import fences as fence_files
import truth as truth_files

CLEAR_METERS = 5.0
CLEAR_SECONDS = 3.0
# A stay so near to dwell_s may be told either way.
DWELL_BAND_S = 3.0
# A start inside is known after the first position, the fences for it and some positions more.
INITIAL_S = 20.0
# How soon a crossing is confirmed, and how soon after a blind time.
CONFIRM_S = 4.0
SETTLE_S = 6.0


class Interval:
    """A stretch of the track on one side of a fence's line."""

    def __init__(self, inside, start, certain_start):
        self.inside, self.start, self.certain_start = inside, start, certain_start
        self.end, self.depth, self.margin = None, 0.0, CLEAR_METERS
        # When it is first so deep that it counts.
        self.counts_at = None

    def is_clear(self, blind):
        return self.depth >= self.margin and self.longest_seen(blind) >= CLEAR_SECONDS

    def longest_seen(self, blind):
        """The longest stretch in one piece in which the receiver was read, seconds."""
        longest, start = 0.0, self.start
        for dark, light in blind:
            if light > start and dark < self.end:
                longest = max(longest, dark - start)
                start = light
        return max(longest, self.end - start)


def last_moment(at, blind):
    """Until when a crossing may be said to have been: later where the receiver was not read."""
    latest = at
    for dark, light in blind:
        if light >= at and dark <= latest + CONFIRM_S:
            latest = light + SETTLE_S
    return latest


def load_blind(path):
    """The blind times of a file as (from, to), in order; none without a file."""
    if path is None:
        return []
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file if line.strip()]
    return sorted((truth_files.seconds(row["from"]), truth_files.seconds(row["to"]))
                  for row in rows)


def intervals(fence, samples):
    """The stretches inside and outside, each from crossing to crossing."""
    found, before = [], None
    for sample in samples:
        distance = fence.signed_distance(sample.lat, sample.lon)
        inside = distance >= 0
        if before is None:
            found.append(Interval(inside, sample.time, True))
        elif inside != found[-1].inside:
            last_time, last_distance = before
            gap = sample.time - last_time
            share = last_distance / (last_distance - distance) if distance != last_distance else 0.5
            crossing = last_time + gap * share
            found[-1].end = crossing
            found.append(Interval(inside, crossing, gap <= truth_files.MAX_GAP_S))
        here = found[-1]
        here.depth = max(here.depth, abs(distance))
        here.margin = max(here.margin, 2 * sample.sigma_m)
        if here.counts_at is None and abs(distance) >= here.margin:
            here.counts_at = sample.time
        before = (sample.time, distance)
    found[-1].end = samples[-1].time
    return found


class Expected:
    def __init__(self, fence_id, kind, at, required, earliest=None, latest=None, initial=False,
                 why="crossing"):
        self.fence_id, self.type, self.at, self.required = fence_id, kind, at, required
        self.earliest = at if earliest is None else earliest
        self.latest = at if latest is None else latest
        self.initial, self.why = initial, why

    def as_json(self):
        return {"fence_id": self.fence_id, "type": self.type, "at": truth_files.text(self.at),
                "earliest": truth_files.text(self.earliest),
                "latest": truth_files.text(self.latest), "required": self.required,
                "initial": self.initial, "why": self.why}

    @classmethod
    def from_json(cls, row):
        return cls(row["fence_id"], row["type"], truth_files.seconds(row["at"]), row["required"],
                   truth_files.seconds(row["earliest"]), truth_files.seconds(row["latest"]),
                   row["initial"], row["why"])


def crossings(fence, found, blind):
    """Required and ambiguous enters, exits and passes."""
    events, state, pending = [], None, []
    for interval in found:
        if not interval.is_clear(blind):
            pending.append(interval)
            continue
        first = pending[0].start if pending else interval.start
        if state is None and interval.inside:
            latest = min(max(interval.counts_at, first + INITIAL_S), interval.end)
            events.append(Expected(fence.id, "enter", first, True, first, latest,
                                   initial=not pending, why="start inside"))
        elif state is not None and interval.inside != state:
            kind = "enter" if interval.inside else "exit"
            certain = interval.certain_start and all(part.certain_start for part in pending)
            events.append(Expected(fence.id, kind, interval.start if interval.inside else first,
                                   certain, first, interval.counts_at,
                                   why="crossing" if certain else "truth has a gap"))
        events += ambiguous(fence, pending)
        state, pending = interval.inside, []
    events += ambiguous(fence, pending)
    for event in events:
        event.latest = max(event.latest, last_moment(event.latest, blind))
    return events


def ambiguous(fence, unclear):
    """Each unclear stretch may be told as enter and exit, as a pass, or not at all."""
    return [Expected(fence.id, kind, interval.start, False, interval.start, interval.end,
                     why="too short, too shallow or unseen")
            for interval in unclear for kind in ("enter", "exit", "pass")]


def dwells(fence, found, blind):
    """A dwell for each entry from which the stay may last dwell_s, required where it must."""
    if fence.dwell_s is None:
        return
    for index, interval in enumerate(found):
        if not interval.inside:
            continue
        # What is unclear may, but need not, end the stay.
        rest = found[index + 1:]
        surely_until = interval.end
        latest_end = next((other.counts_at for other in rest
                           if not other.inside and other.is_clear(blind)), found[-1].end)
        latest_start = last_moment(interval.counts_at or interval.start, blind)
        if index == 0:
            latest_start = max(latest_start, interval.start + INITIAL_S)
        at = interval.start + fence.dwell_s
        if latest_end < at - DWELL_BAND_S:
            continue
        before = found[index - 1] if index else None
        certain = (interval.is_clear(blind) and interval.certain_start
                   and (before is None or before.is_clear(blind))
                   and surely_until >= latest_start + fence.dwell_s + DWELL_BAND_S)
        yield Expected(fence.id, "dwell", at, certain, at, latest_start + fence.dwell_s,
                       why="stay" if certain else "a stay that may end or begin otherwise")


def expected_events(fences, samples, blind=()):
    """All events of all fences, in the order of time."""
    events = []
    for fence in fences:
        stretches = intervals(fence, samples)
        found = crossings(fence, stretches, blind) + list(dwells(fence, stretches, blind))
        events += [event for event in found if event.type in fence.transitions]
    order = {"exit": 0, "enter": 1, "pass": 2, "dwell": 3}
    return sorted(events, key=lambda event: (event.at, order[event.type], event.fence_id))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--truth", required=True)
    parser.add_argument("--fences", required=True)
    parser.add_argument("--default-dwell", type=float, metavar="S",
                        help="dwell_s of a fence that has none (a server gives it 300)")
    parser.add_argument("--blind", help="times in which nobody read the receiver")
    options = parser.parse_args()
    try:
        blind = load_blind(options.blind)
        samples = truth_files.load(options.truth)
        fences = fence_files.load(options.fences, options.default_dwell)
    except (OSError, ValueError, KeyError) as error:
        print(f"expected_events.py: {error}", file=sys.stderr)
        return 1
    for event in expected_events(fences, samples, blind):
        print(json.dumps(event.as_json()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
