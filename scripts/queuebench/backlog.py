"""Start, stop, memory and drain of an agent with a great backlog, with the real programs.

It is stopped while nobody answers at the server's address, while a server takes the request and never
answers, in the middle of a start after a SIGKILL, and in the middle of the drain.
"""
import argparse
import json
import pathlib
import signal
import socket
import sqlite3
import sys
import tempfile
import time

from rig import Failure, Rig, build, file_system, resident_kib

THRESHOLD = 5
READY_LIMIT_S, STOP_LIMIT_S = 1.0, 6.0
# Judged always, also on a machine that is shared with other checks: so many times the bar is allowed there.
SHARED = 2
# Of a start that reads every row: long enough for its signals to be caught, and far from its end.
EARLY_S = 0.1
DRAIN_PER_S = 500
# Beyond an agent with an empty queue: 32 MiB where that has 24, as it is shipped.
GROWTH_LIMIT_KIB = 8 * 1024
SETTLE_S = 2
PROBES_PER_S = 2


def refusing_port():
    """A port of loopback where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def sections(rig):
    return {"receiver": f"{{ source: file, path: {rig.memory}/nothing.nmea }}",
            "queue": "{ max_bytes: 17179869184 }", "upload": "{ interval_s: 0 }"}


def start(rig, configuration, result, name):
    agent, seconds = rig.start_agent(configuration, 900)
    time.sleep(SETTLE_S)
    result[f"ready_s_{name}"] = round(seconds, 3)
    result[f"rss_kib_{name}"] = resident_kib(agent.pid)
    result[f"rss_peak_kib_{name}"] = resident_kib(agent.pid, "VmHWM")
    return agent


def stop(rig, agent, result, name, codes=(0,)):
    began = time.monotonic()
    code = rig.stop(agent)
    result[f"stop_s_{name}"] = round(time.monotonic() - began, 2)
    if code not in codes:
        raise Failure(f"the agent ended with {code}")


def stop_in_black_hole(rig, result):
    """While a server has the request and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as hole:
        hole.settimeout(60)
        rig.url = f"http://127.0.0.1:{hole.getsockname()[1]}"
        agent = start(rig, rig.configure(**sections(rig)), result, "black_hole")
        connection, _ = hole.accept()
        with connection:
            connection.settimeout(60)
            connection.recv(1)
            stop(rig, agent, result, "black_hole")


def stop_while_starting(rig, configuration, result):
    """In the middle of a start that reads every row, and before signals are caught."""
    for name, seconds in (("starting", EARLY_S), ("at_once", 0)):
        rig.kill(rig.start_agent(configuration, 900)[0])
        agent = rig.start("geofenced", "run", "--config", configuration,
                          environment={"RUNTIME_DIRECTORY": str(rig.memory)})
        time.sleep(seconds)
        stop(rig, agent, result, name, (0, -signal.SIGTERM))


def drain(rig, configuration, agent, result, events, limit_s):
    """Until the last receipt, or for a time; the rate is that of the whole time."""
    began, resident = time.monotonic(), 0
    first, latest = None, None
    while True:
        status = rig.status(configuration)
        if agent.poll() is not None:
            raise Failure("the agent ended while it drained")
        now = time.monotonic()
        resident = max(resident, resident_kib(agent.pid))
        if status:
            latest = (now, status["queue"]["acknowledged"])
            first = first or latest
            if latest[1] >= events or (limit_s and now - began >= limit_s):
                break
        if now - began > 7200:
            raise Failure(f"{latest} events in two hours")
        time.sleep(1 / PROBES_PER_S)
    elapsed, drained = latest[0] - first[0], latest[1] - first[1]
    result.update(drained=latest[1], drain_s=round(latest[0] - began, 1),
                  drain_per_s=round(drained / elapsed) if elapsed else None,
                  rss_kib_draining=resident)


def measure(programs, disk, events, drain_s):
    result = {"events": events, "file_system": file_system(disk)}
    with Rig(programs, disk) as rig:
        database = rig.make_server()
        (rig.memory / "nothing.nmea").write_text("")
        began = time.monotonic()
        rig.run("geofence-field", "bench", "backlog", "--events", events, "--device", "bench",
                rig.folder / "state")
        result["fill_s"] = round(time.monotonic() - began, 1)
        result["queue_bytes"] = (rig.folder / "state" / "queue.db").stat().st_size
        rig.url = f"http://127.0.0.1:{refusing_port()}"
        empty = rig.configure(state_directory=f"{rig.folder}/empty", **sections(rig))
        rig.stop(start(rig, empty, result, "empty"))
        configuration = rig.configure(**sections(rig))
        agent = start(rig, configuration, result, "clean")
        rig.kill(agent)
        agent = start(rig, configuration, result, "unclean")
        stop(rig, agent, result, "refused")
        stop_in_black_hole(rig, result)
        stop_while_starting(rig, configuration, result)
        rig.start_server(database)
        configuration = rig.configure(**sections(rig))
        agent = start(rig, configuration, result, "draining")
        drain(rig, configuration, agent, result, events, drain_s)
        stop(rig, agent, result, "draining" if drain_s else "drained")
        if not drain_s:
            with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as server:
                stored, = server.execute("SELECT count(*) FROM events").fetchone()
            if stored != events:
                raise Failure(f"{stored} events in the server, not {events}")
            result["stored"] = stored
    return result


def missed(result, slack):
    """The bars that do not hold; `slack` times the seconds are allowed."""
    for name, seconds in result.items():
        if name.startswith("stop_s") and seconds > STOP_LIMIT_S * slack:
            yield f"{name} {seconds}, at most {STOP_LIMIT_S * slack}"
    # After a clean stop no row is read, so it does not depend on their number.
    if result["ready_s_clean"] > READY_LIMIT_S * slack:
        yield f"ready after {result['ready_s_clean']} s, at most {READY_LIMIT_S * slack}"
    if result["drain_per_s"] is not None and result["drain_per_s"] < DRAIN_PER_S / slack:
        yield f"{result['drain_per_s']} events a second, at least {DRAIN_PER_S / slack}"
    growth = max(value for name, value in result.items()
                 if name.startswith("rss_kib")) - result["rss_kib_empty"]
    if growth > GROWTH_LIMIT_KIB:
        yield f"{growth} KiB more than with an empty queue, at most {GROWTH_LIMIT_KIB}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--disk", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()))
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--drain", type=int, default=0)
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    programs = options.bin or build(["geofenced", "geofence-server", "geofence-field"])
    try:
        result = measure(programs, options.disk, options.events, options.drain)
    except Failure as failure:
        print(f"bench-backlog: {failure}", file=sys.stderr)
        return 1
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name}: {value}")
    slow = list(missed(result, 1 if options.require else SHARED))
    for problem in slow:
        print(f"bench-backlog: {problem}", file=sys.stderr)
    return THRESHOLD if slow else 0


if __name__ == "__main__":
    sys.exit(main())
