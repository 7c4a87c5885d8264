"""The real agent and server, and people who are told at once, never twice, and never at night.

1. offline: twelve fences with campaigns come from the server, which is then stopped. During the drive
   the agent is killed (SIGKILL) 20 times at seeded moments. Each notification that is due is decided
   once, is on the event stream once and reaches the command at most once, within a second of its
   decision; what should stay quiet does. Once the server is back each of its verdicts agrees with the
   device, but one of a fence that was changed meanwhile, which status and events list.
2. hooks: the same drive without a command and with one that hangs, crashes, prints 10 MB and forks.
   The tracker decides as fast, and what failed is counted.

Exit status: 0 right, 1 wrong.  Takes about five minutes, for the scenarios run side by side.
"""
import argparse
import json
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import tempfile
import threading
import time

from children import Child, LogFollower
from fences import Failure, Line, expect, place
from proxy import FaultProxy

TOP = pathlib.Path(__file__).resolve().parents[2]
SPEED = 20
SPACING = 300
STOP_AT, STOP_S = 5, 30
QUIET, EXPIRED, LATER = 2, 8, 10
TOLD = """#!/usr/bin/env python3
import json, sys, time
notification = json.load(sys.stdin)
with open(sys.argv[1], "a") as file:
    file.write(json.dumps([time.time(), notification["client_event_id"],
                           notification["campaign_id"], notification["title"]]) + "\\n")
"""
BAD = """#!/bin/sh
# One of four kinds of trouble, in turn.
turn=$(cat "$1" 2>/dev/null || echo 0); echo $(((turn + 1) % 4)) > "$1"
case $turn in
    0) sleep 600 ;;
    1) kill -SEGV $$ ;;
    2) head -c 10000000 /dev/zero; exit 1 ;;
    3) for i in 1 2 3 4 5 6 7 8; do sleep 600 & done; exit 0 ;;
esac
"""


def feature(index):
    """A fence of 70 m and its campaign; two are too far apart to be decided by one fix."""
    trigger = {3: "exit", 7: "exit", STOP_AT: "dwell"}.get(index, "enter")
    campaign = {"id": f"c{index:02}", "trigger": trigger, "title": f"Fence {index}",
                "body": "Hello", "data": {"index": index}}
    properties = {"name": f"f{index:02}", "radius_m": 70, "dwell_s": 15, "priority": index % 3,
                  "timezone": "Europe/Zurich", "campaigns": [campaign]}
    if index == QUIET:
        properties["quiet_hours"] = {"all_day": True}
    if index == EXPIRED:
        campaign["valid_until"] = "2020-01-01T00:00:00Z"
    if index == LATER:
        campaign["valid_from"] = "2090-01-01T00:00:00Z"
    return {"type": "Feature", "id": f"f{index:02}", "properties": properties,
            "geometry": {"type": "Point", "coordinates": place(300 + index * SPACING)}}


DUE = {f"f{index:02}": feature(index)["properties"]["campaigns"][0]["trigger"]
       for index in range(12)}
SUPPRESSED = {f"f{QUIET:02}": "quiet_hours", f"f{EXPIRED:02}": "expired",
              f"f{LATER:02}": "not_yet_valid"}


class VerdictProxy(FaultProxy):
    """Loses nothing; keeps what the server says of notifications."""

    def __init__(self, upstream_port):
        super().__init__(upstream_port, 0, 0)
        self.verdicts = {}

    def loses(self, path, status, body):
        if path.split("?")[0] == "/v1/events/batch" and status == 200:
            for row in json.loads(body).get("results", []):
                self.verdicts[row["client_event_id"]] = row.get("server_notification_verdict")
        return super().loses(path, status, body)


class Drive(Line):
    """Twelve fences along a road, a car, and whoever is told."""

    def __init__(self, binaries, folder, command):
        super().__init__(binaries, folder)
        self.proxy = VerdictProxy(self.port)
        self.put([feature(index) for index in range(12)])
        route = folder / "route.geojson"
        route.write_text(json.dumps({
            "type": "Feature",
            "properties": {"speed_mps": SPEED, "stops": [[0, 15], [1, STOP_S]]},
            "geometry": {"type": "LineString", "coordinates": [
                place(0), place(300 + STOP_AT * SPACING), place(300 + 12 * SPACING)]}}))
        self.receiver = self.child(
            "geofence-field", "simulate", "--route", route, "--seed", "1", "--noise", "none",
            "--rate", "1", "--baud", "38400", "--pty", folder / "receiver", "--wait-for-reader",
            "--linger", "900")
        self.await_((folder / "receiver").is_symlink, "the receiver")
        self.config = folder / "geofenced.yaml"
        self.config.write_text(
            f"server: {{ url: 'http://127.0.0.1:{self.proxy.port}', "
            f"key_file: {folder}/device-key }}\n"
            f"state_directory: {folder}/state\nsocket: {folder}/control.sock\n"
            "upload: { interval_s: 0 }\ndevice: { id: car }\n"
            f"receiver: {{ source: serial, path: {folder}/receiver, baud: 38400 }}\n"
            + (f"notify: {{ command: {json.dumps(command)} }}\n" if command else ""))
        self.agent = self.child("geofenced", "run", "--config", self.config)

    def tool(self, *words):
        done = subprocess.run([self.binaries / "geofenced", *words, "--config", self.config],
                              capture_output=True, text=True, timeout=30)
        return done.stdout

    def status(self):
        text = self.tool("status", "--json")
        return json.loads(text) if text.strip() else {}

    def rows(self):
        return [json.loads(line) for line in
                self.tool("events", "--json", "--limit", "1000").splitlines() if line.strip()]

    def decided(self):
        return [row for row in self.rows() if row["notification"]["decision"] != "none"]

    def watch(self, *flags):
        """Follows the event stream as a program on the device does: (received, line)."""
        seen = []
        path = self.folder / f"watch{len(self.children)}.ndjson"
        child = Child("geofenced", [self.binaries / "geofenced", "watch", "--json", *flags,
                                    "--config", self.config], path)
        self.children.append(child)
        child.start()

        def take(now, line):
            if line.startswith("{"):
                seen.append((now, json.loads(line)))
        self.followers = getattr(self, "followers", []) + [LogFollower(path, take)]
        return seen

    def close(self):
        for follower in getattr(self, "followers", []):
            follower.close()
        super().close()
        self.proxy.close()


def script(folder, name, text):
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def instant(text):
    import datetime
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def offline(binaries, folder, seed):
    folder.mkdir()
    told_path = folder / "told.ndjson"
    hook = script(folder, "hook", TOLD)
    line = Drive(binaries, folder / "line", [str(hook), str(told_path)])
    try:
        line.await_(lambda: line.status().get("fences", {}).get("known") == 12, "twelve fences")
        seen = line.watch()
        # What the device does not hear of any more: the server will think otherwise of one event.
        changed = [feature(index) for index in range(12)]
        changed[0]["properties"]["quiet_hours"] = {"all_day": True}
        line.stopped = line.server
        line.put(changed)
        line.server.kill()
        kills = []
        source = random.Random(seed)
        began = time.monotonic()
        length = 15 + STOP_S + (300 + 12 * SPACING) / SPEED
        for moment in sorted(source.uniform(5, length - 5) for _ in range(20)):
            time.sleep(max(0, began + moment - time.monotonic()))
            if not line.agent.is_running:
                raise Failure(f"the agent ended:\n{line.agent.log()[-2000:]}")
            kills.append(time.time())
            line.agent.kill()
            line.agent.start()
        time.sleep(max(0, began + length + 15 - time.monotonic()))
        check_decisions(line)
        worst = check_told(line, told_path, seen, kills)
        line.stopped = None
        line.server.start()
        line.await_(lambda: (line.status().get("queue") or {}).get("pending") == 0, "the upload",
                    120)
        summary = check_verdicts(line)
        return f"seed {seed}, {len(kills)} kills, {worst}; {summary}"
    finally:
        line.close()


def check_decisions(line):
    decided = {}
    for row in line.decided():
        decided.setdefault(row["fence_id"], []).append(
            (row["type"], row["notification"]["decision"], row["notification"].get("reason")))
    expect(sorted(decided), sorted(DUE), "fences with a decision")
    for fence, rows in decided.items():
        shown = [row for row in rows if row[1] == "shown"]
        if fence in SUPPRESSED:
            expect({row[2] for row in rows}, {SUPPRESSED[fence]}, f"of {fence}")
        else:
            expect([row[0] for row in shown], [DUE[fence]], f"shown of {fence}, of {rows}")


def check_told(line, told_path, seen, kills):
    """Once each on the stream, at most once at the command; missing only where a kill came first."""
    shown = [row for row in line.decided() if row["notification"]["decision"] == "shown"]
    decided_at = {row["client_event_id"]: instant(row["wall_at"]) for row in shown}

    def was_killed_after(moment):
        return any(-0.05 <= kill - moment <= 1 for kill in kills)
    told = [json.loads(text) for text in told_path.read_text().splitlines()]
    names = [row[1] for row in told]
    if len(names) != len(set(names)):
        raise Failure(f"told twice: {names}")
    if set(names) - set(decided_at):
        raise Failure(f"told of what was not decided: {set(names) - set(decided_at)}")
    lost = [name for name in decided_at if name not in names]
    for name in lost:
        if not was_killed_after(decided_at[name]):
            raise Failure(f"the command never heard of {name}, and no kill came between")
    late = max(row[0] - decided_at[row[1]] for row in told)
    if late > 1:
        raise Failure(f"the command was told {late:.2f} s after the decision")
    stream = [(now, row["client_event_id"]) for now, row in seen
              if row.get("kind") == "event" and row["notification"]["decision"] == "shown"]
    expect(sorted(name for _, name in stream), sorted(decided_at), "shown on the event stream")
    slow = [now - decided_at[name] for now, name in stream if not was_killed_after(decided_at[name])]
    if max(slow) > 1:
        raise Failure(f"the stream told {max(slow):.2f} s after the decision")
    return (f"{len(shown)} shown, each once on the stream (at most {max(slow):.2f} s), "
            f"{len(told)} at the command (at most {late:.2f} s), {len(lost)} cut off by a kill")


def check_verdicts(line):
    rows = line.rows()
    status = line.status()["notifications"]
    listed = {row["seq"]: row["verdict"] for row in status["last_disagreements"]}
    judged = disagree = 0
    for row in rows:
        verdict = line.proxy.verdicts.get(row["client_event_id"])
        if verdict is None:
            raise Failure(f"the server said nothing of #{row['seq']}")
        if verdict == "not_applicable":
            continue
        judged += 1
        if (verdict == "allowed") == (row["notification"]["decision"] == "shown"):
            continue
        disagree += 1
        if listed.get(row["seq"]) != verdict:
            raise Failure(f"#{row['seq']} {row['notification']}, the server says {verdict}, and "
                          f"status does not list it: {listed}")
        if row.get("server_notification_verdict") != verdict:
            raise Failure(f"#{row['seq']}: events does not name the server's verdict")
    expect((judged, disagree), (12, 1), "verdicts and disagreements")
    return f"{judged} verdicts of the server, {disagree} disagreement, listed"


def hooks(binaries, folder, _):
    folder.mkdir()
    bad = script(folder, "hook", BAD)
    quiet = Drive(binaries, folder / "without", None)
    try:
        loud = Drive(binaries, folder / "with", [str(bad), str(folder / "turn")])
    except Exception:
        quiet.close()
        raise
    try:
        lines = (quiet, loud)
        for line in lines:
            line.await_(lambda: line.status().get("fences", {}).get("known") == 12, "fences")
        seen = [line.watch("--fixes") for line in lines]
        time.sleep(15 + STOP_S + (300 + 12 * SPACING) / SPEED + 15)
        delays = [sorted(now - instant(row["time"]) for now, row in rows
                         if row.get("kind") == "fix" and row.get("time")) for rows in seen]
        for line in lines:
            check_decisions(line)
        middle = [values[len(values) // 2] for values in delays]
        late = [values[int(len(values) * 0.99)] for values in delays]
        text = ", ".join(
            f"{name} p50 {a * 1000:.0f} ms p99 {b * 1000:.0f} ms max {values[-1] * 1000:.0f} ms"
            for name, a, b, values in zip(("without", "with"), middle, late, delays))
        if min(map(len, delays)) < 150 or middle[1] > middle[0] + 0.05 or late[1] > late[0] + 0.25:
            raise Failure(f"the command slows the tracker down: {text}")
        loud.await_(lambda: not loud.status()["notifications"]["sinks"][0]["waiting"],
                    "the commands to end", 60)
        sink = loud.status()["notifications"]["sinks"][0]
        if sink["delivered"] + sink["failed"] != 9 or sink["failed"] < 6 or sink["dropped"]:
            raise Failure(f"nine commands, of which one in four does not fail: {sink}")
        left = subprocess.run(["pgrep", "-f", f"{bad}"], capture_output=True, text=True).stdout
        if left.strip():
            raise Failure(f"processes of the command are left: {left}")
        return f"fix to stream: {text}; command: {sink}"
    finally:
        quiet.close()
        loud.close()


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/end-to-end-notifications", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=TOP / ".build" / "debug", help="where the programs are")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000),
                        help="of the kills; default: random, and printed")
    parser.add_argument("--only", choices=("offline", "hooks"), help="one scenario")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-notifications."))
    wrong = []

    def run(scenario):
        began = time.monotonic()
        try:
            verdict = "passed: " + scenario(options.bin, folder / scenario.__name__, options.seed)
        except Exception as error:  # Whatever it is, the other scenario goes on.
            wrong.append(scenario.__name__)
            verdict = f"FAILED (seed {options.seed}): {type(error).__name__}: {error}"
        print(f"end-to-end-notifications: {scenario.__name__}: {verdict} "
              f"({time.monotonic() - began:.0f} s)", file=sys.stderr, flush=True)
    threads = [threading.Thread(target=run, args=(scenario,)) for scenario in (offline, hooks)
               if options.only in (None, scenario.__name__)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if wrong:
        print(f"end-to-end-notifications: kept: {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
