"""What the real agent writes: a van visits fences, parks in the last one, then stands outside all.

The agent reads a recorded receiver, with all of its time running as fast (`receiver.speed`), and
uploads to a real server.  From READY on /proc counts all bytes of the drive, then those of a minute
parked in a fence, for which the tracker's state is written, then those of an idle time.  strace counts
what is made durable, and tells the commits of events and receipts from those of the tracker's state
alone; both counts of bytes must agree.  The bar is on events with their receipts, and with all that
checkpoints write, and, by itself, on every byte of the drive, the commits of the tracker's state alone
included.  The drive ends with the last arrival: the minutes that pass in the fence until its receipt is
there, and until that is seen here, belong to the parked time; a busy machine makes many of them.
"""
import contextlib
import json
import sqlite3
import time

import syncs
from rig import Failure, Rig, written

SPEED = 60
DRIVE_MPS, SPACING_M, RADIUS_M, DWELL_S = 20, 900, 120, 20
# Shorter than the minute after which the state is written.
STOP_S = 40
LATITUDE = 50.0
# Metres of one degree of longitude there.
DEGREE_M = 71_700
EVENT_LIMIT_BYTES = 20_000
EVENTS_PER_FENCE, EVENTS_OF_ARRIVAL = 5, 3
# After an event: its receipts, and what is due within a minute or two.
QUIET_S = 300
# Between two checks of the agent's status.
LOOK_S = 60


def east(meters):
    return 9.0 + meters / DEGREE_M


def write_inputs(rig, fences, parked_s, idle_s):
    line = [[east(i * SPACING_M), LATITUDE] for i in range(fences + 2)]
    stops = [[i, STOP_S] for i in range(1, fences)] + [[fences, parked_s + 4 * QUIET_S]]
    route = {"type": "Feature", "properties": {"speed_mps": DRIVE_MPS, "stops": stops},
             "geometry": {"type": "LineString", "coordinates": line}}
    places = {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"stop-{i}",
         "properties": {"name": f"Stop {i}", "radius_m": RADIUS_M, "dwell_s": DWELL_S},
         "geometry": {"type": "Point", "coordinates": line[i]}} for i in range(1, fences + 1)]}
    (rig.memory / "route.geojson").write_text(json.dumps(route))
    (rig.memory / "fences.geojson").write_text(json.dumps(places))
    rig.run("geofence-field", "simulate", "--route", rig.memory / "route.geojson", "--noise", "open",
            "--linger", idle_s + 20 * QUIET_S, "--output", rig.memory / "drive.nmea")


class Watch:
    """What an agent has written since the last look, and what it made durable."""

    def __init__(self, rig, agent, trace):
        self.rig, self.agent, self.trace = rig, agent, trace
        self.bytes, self.position, self.began = written(agent.pid), 0, time.monotonic()

    def counters_page(self):
        path = self.rig.folder / "state" / "queue.db"
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as queue:
            return queue.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'counters'").fetchone()[0]

    def look(self, last_event=None):
        """Bytes, simulated seconds and the account since the last look."""
        now_bytes, now = written(self.agent.pid), time.monotonic()
        with open(self.trace, encoding="utf-8", errors="replace") as file:
            file.seek(self.position)
            account = syncs.Account(file.read().splitlines(), self.counters_page(),
                                    last_event)
            self.position = file.tell()
        result = now_bytes - self.bytes, (now - self.began) * SPEED, account
        self.bytes, self.began = now_bytes, now
        return result


def measure(programs, disk, fences, parked_s, idle_s):
    with Rig(programs, disk) as rig:
        write_inputs(rig, fences, parked_s, idle_s)
        database = rig.make_server(rig.memory / "fences.geojson")
        rig.start_server(database)
        configuration = rig.configure(
            receiver=f"{{ source: file, path: {rig.memory}/drive.nmea, speed: {SPEED} }}")
        agent, _ = rig.start_agent(configuration)
        trace = rig.memory / "agent.trace"
        tracer = syncs.attach(agent.pid, trace)
        rig.children.append(tracer)
        watch = Watch(rig, agent, trace)
        arrived = (fences - 1) * EVENTS_PER_FENCE + EVENTS_OF_ARRIVAL
        counts = follow(rig, configuration, arrived)
        driven, _, drive_account = watch.look(arrived)
        time.sleep(QUIET_S / SPEED)
        watch.look()
        time.sleep(parked_s / SPEED)
        parked, parked_for, parked_account = watch.look()
        follow(rig, configuration, fences * EVENTS_PER_FENCE)
        time.sleep(QUIET_S / SPEED)
        watch.look()
        time.sleep(idle_s / SPEED)
        idle, idle_for, idle_account = watch.look()
        tracer.terminate()
        rig.children.remove(tracer)
        tracer.wait(30)
        code = rig.stop(agent)
        if code != 0:
            raise Failure(f"the agent ended with {code}")
    return {
        "events": counts["enqueued"], "acknowledged": counts["acknowledged"],
        "bytes_per_event": round((drive_account.event_bytes + drive_account.checkpoint_bytes)
                                 / max(1, counts["enqueued"])),
        "all_bytes_per_event": round((driven - drive_account.late_bytes)
                                     / max(1, counts["enqueued"])),
        "bytes_by_proc": driven, "bytes_by_trace": drive_account.bytes(),
        "bytes_per_parked_minute": round(parked / parked_for * 60),
        "idle_bytes": idle, "idle_hours": round(idle_for / 3600, 2),
        "drive": drive_account, "parked": parked_account, "idle": idle_account}


def follow(rig, configuration, events):
    """Until so many events have their receipts."""
    latest = {}

    def is_done():
        status = rig.status(configuration)
        if status:
            latest.update(status["queue"])
        return (latest.get("enqueued", 0) >= events
                and latest["acknowledged"] == latest["enqueued"])

    try:
        rig.wait(is_done, f"{events} delivered events", 600, period=LOOK_S / SPEED / 2)
    except Failure as failure:
        raise Failure(f"{failure}: {latest}") from None
    return latest


def failures(result):
    for name, what in (("bytes_per_event", "with receipts and checkpoints"),
                       ("all_bytes_per_event", "over the whole drive")):
        if result[name] > EVENT_LIMIT_BYTES:
            yield f"{result[name]} bytes written per event {what}, at most {EVENT_LIMIT_BYTES}"
    if result["idle_bytes"]:
        yield f"{result['idle_bytes']} bytes written in {result['idle_hours']} idle hours"
    by_proc, by_trace = result["bytes_by_proc"], result["bytes_by_trace"]
    if not 0.85 <= by_trace / by_proc <= 1.15:
        yield f"the kernel counts {by_proc} bytes, the trace {by_trace}"
    yield from result["drive"].failures()
    yield from result["parked"].failures(is_busy=False)
    idle = result["idle"]
    if idle.commits or idle.log_syncs or idle.database_syncs or idle.other_syncs:
        yield f"something was made durable while idle: {idle.figures()}"
