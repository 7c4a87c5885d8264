#!/usr/bin/env python3
"""Recomputes what `geofenced explain` and `geofenced fences explain` say from the agent's recordings.

Positions come from the recorded sentences, fences from the recorded sets, distances from geographiclib
and shapely: nothing is shared with the agent.  A distance may differ by 0.1 m.  A dwell clock may differ by
a second: it runs on the uptime at which fixes were read, and after a restart a 1 Hz receiver's bytes are
read at another moment of their second.  A mean may lack the epoch that was being read when the agent was
killed: it is recorded, and the next process knows what was decided before it.  The other way round, the
last lines of a killed process may be missing from its recording while the next one knows what they led to:
a mean over such a gap is not recomputed.

  check_explanations.py --recordings FOLDER EXPLANATIONS

EXPLANATIONS holds one JSON answer of --json a line.  Exit status: 0 right, 1 different, 6 nothing checked.
"""
import argparse
import bisect
import collections
import datetime
import gzip
import itertools
import json
import pathlib
import re
import sys

import fences as shapes

TOLERANCES = {"m": 0.1, "s": 1.0}
MEAN_FIXES_MAX = 600
CUTS_MAX = 6
GAP_S = 1.5
SENTENCE = re.compile(r"\$[A-Z]{2}(RMC|GGA),([^*\r\n]*)\*([0-9A-F]{2})")


def degrees(text, hemisphere):
    point = text.index(".")
    value = int(text[:point - 2]) + float(text[point - 2:]) / 60
    return -value if hemisphere in "SW" else value


def instant(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def checksum_is_right(sentence):
    total = 0
    for letter in sentence[1:sentence.index("*")]:
        total ^= ord(letter)
    return f"{total:02X}" == sentence[-2:]


class Recording:
    """What a folder of recordings says: where the device was when, and which fences there were."""

    def __init__(self, folder):
        # Seconds since 1970 -> (latitude, longitude), by the receiver's own time.
        self.places = {}
        # (place in the order of all records, id) -> fence
        self.fences = collections.defaultdict(list)
        # Epochs that were the last one when a process ended.
        self.cuts = set()
        self.date = None
        text = ""
        for path in sorted(folder.iterdir()):
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8") as file:
                for line in file:
                    if not line.endswith("\n"):
                        continue  # torn by a kill
                    record = json.loads(line)
                    if record["k"] == "raw":
                        text = self.take(text + record.get("s", ""))
                    elif record["k"] in ("restart", "header"):
                        text = ""
                        if self.places:
                            self.cuts.add(max(self.places))
                    elif record["k"] == "fences":
                        now = max(self.places, default=0)
                        for wire in record["fences"]:
                            self.fences[wire["id"]].append((now, shapes.from_wire(wire), wire))
        self.times = sorted(self.places)

    def take(self, text):
        end = 0
        for match in SENTENCE.finditer(text):
            end = match.end()
            if checksum_is_right(match[0]):
                self.sentence(match[1], match[2].split(","))
        return text[end:][-200:]

    def sentence(self, kind, fields):
        clock = fields[0]
        if not clock:
            return
        if kind == "RMC" and fields[8]:
            self.date = fields[8]
        valid = fields[1] == "A" if kind == "RMC" else fields[5] not in ("", "0")
        first = 2 if kind == "RMC" else 1
        if not valid or not self.date or not fields[first]:
            return
        place = (degrees(fields[first], fields[first + 1]),
                 degrees(fields[first + 2], fields[first + 3]))
        day = datetime.datetime.strptime(self.date + clock[:6], "%d%m%y%H%M%S").replace(
            tzinfo=datetime.timezone.utc)
        self.places[round(day.timestamp() + float("0" + clock[6:] or 0), 3)] = place

    def fence(self, identifier, at):
        known = self.fences[identifier]
        earlier = [entry for entry in known if entry[0] <= at + 0.001]
        return (earlier or known)[-1][1:]

    def last(self, count, until):
        """The last places up to a moment, newest last: each selection that the agent may have had."""
        end = bisect.bisect_right(self.times, until + 0.0005)
        window = self.times[max(0, end - count - CUTS_MAX):end]
        doubtful = [time for time in window[:-1] if time in self.cuts][-CUTS_MAX:]
        if count > 1 and any(time in self.cuts and after - time > GAP_S
                             for time, after in itertools.pairwise(window)):
            return
        for size in range(len(doubtful) + 1):
            for missing in itertools.combinations(doubtful, size):
                times = [time for time in self.times[max(0, end - count - size):end]
                         if time not in missing][-count:]
                if len(times) == count:
                    yield [self.places[time] for time in times]


class Check:
    def __init__(self, recording):
        self.recording = recording
        self.counts = collections.Counter()
        self.worst = dict.fromkeys(TOLERANCES, 0.0)
        self.wrong = []

    def compare(self, what, said, found, unit):
        difference = abs(said - found)
        self.worst[unit] = max(self.worst[unit], difference)
        if difference > TOLERANCES[unit]:
            self.wrong.append(f"{what}: said {said:.3f}, recomputed {found:.3f}")

    def distance(self, what, identifier, at, fixes, said):
        if round(at, 3) not in self.recording.places or fixes > MEAN_FIXES_MAX:
            self.counts["not recorded"] += 1
            return
        shape = self.recording.fence(identifier, at)[0]
        found = [shape.signed_distance(sum(place[0] for place in places) / fixes,
                                       sum(place[1] for place in places) / fixes)
                 for places in self.recording.last(fixes, at)]
        if not found:
            self.counts["not recorded"] += 1
            return
        self.counts["distances of a mean" if fixes > 1 else "distances"] += 1
        self.compare(what, said, min(found, key=lambda value: abs(value - said)), "m")

    def margin(self, accuracy, wire):
        accuracy = min(accuracy, wire.get("exit_accuracy_cap_m") or float("inf"))
        return accuracy + min(max(accuracy, 5), 20)

    def event(self, report):
        event, evidence = report["event"], report["event"].get("evidence")
        if not evidence or not event.get("detected_at"):
            return
        what = f"#{event['seq']} {event['type']} of {event['fence_id']} ({evidence['rule']})"
        at, said = instant(event["detected_at"]), evidence.get("signed_distance_m")
        is_mean = evidence["rule"] in ("stationary_mean", "stationary_margin")
        if said is not None and (is_mean or not evidence["stationary"]):
            self.distance(what, event["fence_id"], at,
                          evidence["confirmations"] if is_mean else 1, said)
        if evidence["rule"] in ("margin", "stationary_margin"):
            wire = self.recording.fence(event["fence_id"], at)[1]
            needed = -self.margin(evidence["accuracy_m"], wire)
            self.counts["margins"] += 1
            self.compare(what + " margin", report["needed_signed_distance_m"], needed, "m")
            if said >= needed:
                self.wrong.append(f"{what}: {said:.2f} is not beyond {needed:.2f}")

    def fence(self, report):
        fix, measured = report.get("fix"), report.get("measured")
        if not fix or not measured or not fix.get("time"):
            return
        at = instant(fix["time"])
        what = f"{report['fence_id']} at {fix['time']} ({measured['basis']})"
        said = measured["signed_distance_m"]
        self.distance(what, report["fence_id"], at, measured["fixes"], said)
        wire = self.recording.fence(report["fence_id"], at)[1]
        for row in report["rows"]:
            needed = {"decisive": measured["accuracy_m"], "seed_decisive": measured["accuracy_m"],
                      "fast_repeated": 0, "eager": 0,
                      "stationary_mean": 0.7 * measured["accuracy_m"],
                      "margin": -self.margin(measured["accuracy_m"], wire),
                      "stationary_margin": -self.margin(measured["accuracy_m"], wire)}
            if row["rule"] not in needed:
                continue
            lacks = needed[row["rule"]] - said
            self.counts["rows"] += 1
            self.compare(f"{what} {row['rule']}", row["missing_m"],
                         max(0, -lacks if row["kind"] == "exit" else lacks), "m")
        dwell = report.get("dwell")
        if dwell and not dwell["stopped"] and report.get("since"):
            elapsed = at + fix["age_s"] - instant(report["since"])
            self.counts["dwell clocks"] += 1
            self.compare(what + " dwell", dwell["elapsed_s"], elapsed, "s")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--recordings", type=pathlib.Path, required=True)
    parser.add_argument("explanations", type=pathlib.Path)
    options = parser.parse_args()
    check = Check(Recording(options.recordings))
    for line in options.explanations.read_text().splitlines():
        report = json.loads(line)
        if report["schema"] == "geofenced.event-explanation/1":
            check.event(report)
        elif report["schema"] == "geofenced.fence-explanation/1":
            check.fence(report)
    for text in check.wrong[:20]:
        print(f"explain: {text}", file=sys.stderr)
    print(f"explain: {dict(check.counts)}, greatest difference of a distance "
          f"{check.worst['m']:.4f} m, of a dwell clock {check.worst['s']:.2f} s, "
          f"{len(check.wrong)} wrong", file=sys.stderr)
    if check.wrong:
        return 1
    return 0 if check.counts["distances"] else 6


if __name__ == "__main__":
    sys.exit(main())
