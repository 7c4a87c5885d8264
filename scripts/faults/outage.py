"""Keeps a real agent without its server for days of its time, then gives the server back.

The agent reads a recorded drive to a depot and away, again and again, whose time passes up to 1,000 times
as fast as the clock; all of the agent's time does, its waits between two tries as well.  It keeps its
positions, as it is told to (breadcrumbs.enabled).  It fetches its fences, then the server is killed.  When the days are over the agent is stopped, the server started again,
and the agent after it, in ordinary time: it must be ready within 5 s and upload 500 events a second, in
32 MB (48 where its libraries are linked at run time).  At the end the server has every event that the queue ever took, once, without a gap, and the
device every position that it was to keep.

The short form is one day with 3,000 events at 1,000 times the clock, some two minutes, nearly all of it
waiting; the long one, --days 30 --events 10000 --positions 1000000, takes three quarters of an hour.

Exit status: 0 right, 1 something was lost or too slow.
"""
import argparse
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from programs import TOP, Agent, Failure, Server, balance, read, sentence, degrees, EAST, METER

DEVICE = "away"
DAY_S = 86_400
NEAR_S, SPEED_MPS = 40, 15
EVENTS_A_CYCLE = 5
KINDS = ["enter", "dwell", "visit_started", "exit", "visit_ended"]
START_LIMIT_S, RATE_LIMIT = 5, 500
# The agent may miss some: a machine that stands still for 30 ms costs it 30 s of its drive.
POSITION_SHARE = 0.9
LEAST_PERIOD_S = 1
# As it is shipped, linked statically; what is linked at run time has the pages of its libraries, too.
RSS_LIMIT_KIB, RSS_LIMIT_DYNAMIC_KIB = 32 * 1024, 48 * 1024


def say(text):
    print(f"outage: {text}", file=sys.stderr, flush=True)


def write_log(path, start, cycles, cycle_s, period_s):
    """NMEA: from 600 m away to the depot, parked there, and back, once a cycle."""
    with open(path, "w") as file:
        for second in range(0, cycles * cycle_s, period_s):
            within = second % cycle_s
            if within < NEAR_S:
                meters, speed = (NEAR_S - within) * SPEED_MPS, SPEED_MPS
            elif within >= cycle_s - NEAR_S:
                meters, speed = (within - (cycle_s - NEAR_S)) * SPEED_MPS, SPEED_MPS
            else:
                meters, speed = 0, 0
            moment = time.gmtime(start + second)
            clock, date = time.strftime("%H%M%S.00", moment), time.strftime("%d%m%y", moment)
            where = f"{degrees(48 + meters * METER, 2)},N,{degrees(EAST, 3)},E"
            knots = speed * 3600 / 1852
            file.write(sentence(f"GPRMC,{clock},A,{where},{knots:05.1f},000.0,{date},,,A"))
            file.write(sentence(f"GPGGA,{clock},{where},1,10,0.7,500.0,M,45.0,M,,"))


def depot():
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": "depot",
         "properties": {"name": "depot", "radius_m": 100, "transitions": ["enter", "exit", "dwell"],
                        "dwell_s": 30},
         "geometry": {"type": "Point", "coordinates": [EAST, 48]}}]}


def peak_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    raise Failure("no peak of memory in /proc")


def memory_limit_kib(pid):
    is_dynamic = "libswiftCore" in pathlib.Path(f"/proc/{pid}/maps").read_text()
    return RSS_LIMIT_DYNAMIC_KIB if is_dynamic else RSS_LIMIT_KIB


def stored(server):
    return read(server.database, "SELECT count(*) FROM events")[0][0]


class Outage:
    def __init__(self, programs, folder, options):
        self.programs, self.folder, self.options = programs, folder, options
        self.result = {}
        cycles = options.events // EVENTS_A_CYCLE
        cycle_s = int(options.days * DAY_S / cycles)
        if cycle_s < 3 * NEAR_S:
            raise Failure(f"{options.events} events do not fit into {options.days} days")
        self.cycles, self.drive_s = cycles, cycles * cycle_s
        self.period_s = options.period
        if options.positions:
            self.period_s = min(self.period_s, int(self.drive_s * POSITION_SHARE / options.positions))
        if self.period_s < LEAST_PERIOD_S:
            raise Failure(f"{options.positions} positions do not fit into {options.days} days")
        # The recording has come to its end an hour before now, so that no event is of the future.
        start = int(time.time()) - self.drive_s - 3600
        write_log(folder / "drive.nmea", start, cycles, cycle_s, self.period_s)
        write_log(folder / "after.nmea", start + self.drive_s, 1, 120, 1)
        self.server = Server(programs, folder, fences=depot())
        self.children = [self.server.child]
        self.server.make()

    def agent(self, log, speed):
        agent = Agent(self.programs, self.folder, self.folder / "state", self.server, self.folder / log,
                      DEVICE, speed=speed, more="breadcrumbs: { enabled: true }\n")
        self.children.append(agent.child)
        return agent

    def close(self):
        for child in self.children:
            if child.is_running:
                child.kill()

    def run(self):
        agent = self.agent("drive.nmea", self.options.speed)
        agent.start()
        agent.await_(lambda: stored(self.server) > 0 or "event 1 " in agent.since(), "the first event")
        self.server.child.kill()
        limit = self.drive_s / self.options.speed
        say(f"{self.drive_s / DAY_S:.1f} days without a server take {limit:.0f} s")
        agent.await_(lambda: "drive.nmea ends here" in agent.since(), "the end of the drive",
                     limit=limit + 300, period=1)
        self.result["days"] = round(self.drive_s / DAY_S, 1)
        self.result["peak_kib_while_away"] = peak_kib(agent.child.process.pid)
        self.positions = agent.status()["breadcrumbs"]
        self.memory_limit_kib = memory_limit_kib(agent.child.process.pid)
        agent.stop()
        self.check_positions(agent)
        self.drain()
        self.check()

    def check_positions(self, agent):
        """Reads them all, in the order in which they were noted."""
        began, last, count = time.monotonic(), None, 0
        reader = subprocess.Popen(
            [agent.programs / "geofenced", "queue", "positions", "--config", agent.configuration],
            stdout=subprocess.PIPE, text=True)
        with reader:
            for line in reader.stdout:
                position = json.loads(line)
                moment = position["boot_id"], position["mono_ms"]
                if last and last[0] == moment[0] and last[1] >= moment[1]:
                    raise Failure(f"position {moment} comes after {last}")
                last, count = moment, count + 1
        if reader.returncode:
            raise Failure(f"queue positions: {reader.returncode}")
        self.result["positions"] = {"recorded": self.drive_s // self.period_s, "read": count,
                                    **self.positions, "read_s": round(time.monotonic() - began, 1)}

    def drain(self):
        self.server.start()
        before = stored(self.server)
        agent = self.agent("after.nmea", 1)
        began = time.monotonic()
        agent.start()
        ready = time.monotonic()
        total = self.queue(agent)["enqueued"]
        agent.await_(lambda: stored(self.server) >= total, "the queue to drain", limit=300, period=0.01)
        ended = time.monotonic()
        agent.await_(lambda: self.queue(agent)["pending"] == 0, "the last receipt", period=0.2)
        self.result.update({
            "events": total, "start_s": round(ready - began, 2), "drain_s": round(ended - ready, 2),
            "events_per_s": round((total - before) / (ended - ready)),
            "peak_kib_while_draining": peak_kib(agent.child.process.pid)})
        self.counts = self.queue(agent)
        agent.stop()
        self.server.child.stop(15)

    @staticmethod
    def queue(agent):
        return agent.status()["queue"]

    def check(self):
        counts, problems = self.counts, []
        balance(counts)
        self.result["counts"] = {name: counts[name] for name in
                                 ("enqueued", "acknowledged", "pending", "dead", "evicted")}
        rows = self.server.events(DEVICE)
        if [row[1] for row in rows] != list(range(1, counts["enqueued"] + 1)):
            problems.append(f"the server has {len(rows)} events, not 1 to {counts['enqueued']}")
        kinds = {kind: sum(row[2] == kind for row in rows) for kind in KINDS}
        # A machine that stands still for 30 ms costs the agent 30 s of its drive.
        if max(kinds.values()) > self.cycles or min(kinds.values()) < 0.9 * self.cycles:
            problems.append(f"{self.cycles} visits gave {kinds}")
        for name in ("pending", "dead", "evicted"):
            if counts[name]:
                problems.append(f"{counts[name]} events are {name}")
        if self.result["start_s"] > START_LIMIT_S:
            problems.append(f"ready after {self.result['start_s']} s, more than {START_LIMIT_S}")
        if self.result["events_per_s"] < RATE_LIMIT:
            problems.append(f"{self.result['events_per_s']} events a second, less than {RATE_LIMIT}")
        positions = self.result["positions"]
        if positions["lost"] or positions["read"] < positions["kept"]:
            problems.append(f"positions were lost: {positions}")
        if positions["kept"] + positions["dropped"] < POSITION_SHARE * positions["recorded"]:
            problems.append(f"positions are missing: {positions}")
        if positions["kept"] < (self.options.positions or POSITION_SHARE * positions["recorded"]):
            problems.append(f"too few positions are kept: {positions}")
        for name in ("peak_kib_while_away", "peak_kib_while_draining"):
            if self.result[name] > self.memory_limit_kib:
                problems.append(f"{name} {self.result[name]}, more than {self.memory_limit_kib}")
        print(json.dumps(self.result))
        if problems:
            raise Failure("; ".join(problems))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build/release",
                        help="folder with the programs (default: .build/release)")
    parser.add_argument("--days", type=float, default=1)
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--speed", type=int, default=1000, help="1 to 1000 times the clock")
    parser.add_argument("--period", type=int, default=4, help="seconds between two positions")
    parser.add_argument("--positions", type=int, default=0,
                        help="so many at least are to be kept (default: all of the drive)")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="geofenced-outage."))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    outage = None
    try:
        outage = Outage(options.bin.resolve(), folder, options)
        outage.run()
    except Failure as failure:
        say(failure)
        return 1
    finally:
        if outage:
            outage.close()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
