"""What the agent costs; see scripts/footprint."""
import argparse
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import bars
import tls
from process import Bench, Ready, die_with_parent, per_hour, say, threads, usage, wait

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FENCES, PASSES, SPACING_M, RADIUS_M, SPEED_MPS = 18, 3, 130, 40, 33
LATITUDE, LONGITUDE = 50.0, 9.0
# The agent lets go of the pages of its start after 20 s.
SETTLED_S = 25


def east(meters):
    return LONGITUDE + meters / (111_320 * math.cos(math.radians(LATITUDE)))


def build():
    """The folder with a stripped static agent, and the size of the agent."""
    static = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--scratch-path",
              ".build/static", "--product", "geofenced"]
    say("building (release, static runtime)")
    subprocess.run(static, cwd=ROOT, check=True, stdout=sys.stderr)
    subprocess.run(["swift", "build", "-c", "release"], cwd=ROOT, check=True, stdout=sys.stderr)
    places = [subprocess.run(command + ["--show-bin-path"], cwd=ROOT, check=True, text=True,
                             capture_output=True).stdout.strip()
              for command in (static[:-2], ["swift", "build", "-c", "release"])]
    folder = ROOT / ".build" / "footprint"
    folder.mkdir(exist_ok=True)
    shutil.copy2(pathlib.Path(places[0]) / "geofenced", folder / "geofenced")
    subprocess.run(["strip", str(folder / "geofenced")], check=True)
    for name in ("geofence-server", "geofence-field"):
        shutil.copy2(pathlib.Path(places[1]) / name, folder / name)
    return folder


def start_gpsd(bench, route):
    """Debian's gpsd with one client on a pty of its own; None where it is not installed."""
    if not (shutil.which("gpsd") and shutil.which("gpspipe")):
        say("no gpsd and gpspipe: nothing to compare with")
        return None
    folder = bench.folder
    port, number = folder / "gpsd-receiver", str(20_000 + os.getpid() % 20_000)
    bench.start("geofence-field", "simulate", "--route", route, "--rate", 1, "--pty", port,
                "--baud", 9600, "--noise", "open")
    wait(10, port.exists, "the receiver of gpsd")
    log = open(folder / "gpsd.log", "ab")
    gpsd = subprocess.Popen(["gpsd", "-N", "-n", "-b", "-s", "9600", "-S", number, str(port)],
                            stdout=log, stderr=log, preexec_fn=die_with_parent)
    bench.children.append(gpsd)
    time.sleep(1)
    output = folder / "gpspipe.log"
    client = subprocess.Popen(["gpspipe", "-w", f"localhost:{number}"], stdout=open(output, "wb"),
                              stderr=log, preexec_fn=die_with_parent)
    bench.children.append(client)
    wait(60, lambda: b'"class":"TPV"' in output.read_bytes(), "a position from gpsd")
    return gpsd


def compare(ours, gpsd):
    """The figures beside each other, and ours as a share of gpsd's."""
    table = {}
    for name in ("cpu_s_per_hour", "wakes_per_s", "rss_kib", "threads"):
        table[name] = {"geofenced": ours[name], "gpsd": gpsd[name],
                       "ratio": round(ours[name] / gpsd[name], 2) if gpsd[name] else None}
    return table


def write_inputs(folder):
    length = (FENCES + 1) * SPACING_M
    ends = [[east(0), LATITUDE], [east(length), LATITUDE]]
    line = [ends[i % 2] for i in range(PASSES + 1)]
    (folder / "route.geojson").write_text(json.dumps(
        {"type": "Feature", "properties": {"speed_mps": SPEED_MPS, "stops": [[0, 8]]},
         "geometry": {"type": "LineString", "coordinates": line}}))
    (folder / "fences.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"f{i}", "properties": {"name": f"f{i}", "radius_m": RADIUS_M},
         "geometry": {"type": "Point", "coordinates": [east((i + 1) * SPACING_M), LATITUDE]}}
        for i in range(FENCES)]}))
    return line


def start_server(bench):
    """Its port, and the file of a device key."""
    folder, database = bench.folder, bench.folder / "server.db"
    program = str(bench.programs / "geofence-server")
    run = subprocess.run([program, "init", "--database", database, "--workspace", "footprint",
                          "--json"], check=True, capture_output=True, text=True)
    key = folder / "key"
    key.write_text(json.loads(run.stdout)["device_key"])
    key.chmod(0o600)
    subprocess.run([program, "import", "--database", database, folder / "fences.geojson"],
                   check=True, capture_output=True)
    bench.start("geofence-server", "serve", "--database", database, "--listen", "127.0.0.1:0")
    log = folder / "geofence-server.log"
    wait(30, lambda: "listening on" in log.read_text(), "the server")
    return int(log.read_text().split("listening on ")[1].split()[0].rsplit(":", 1)[1]), key


def start_agent(bench, server_port, key, receiver, options):
    """The agent, when it is ready, and how long that took."""
    folder, authorities, server = bench.folder, None, f"url: 'http://127.0.0.1:{server_port}'"
    if options.tls != "none":
        tls.make_certificates(folder)
        bench.front = tls.Front(folder, server_port)
        server = f"url: 'https://127.0.0.1:{bench.front.port}'"
        if options.tls == "system":
            authorities = tls.make_authorities(folder)
        else:
            server += f", ca_file: {folder}/ca.pem"
    (folder / "agent.yaml").write_text(
        f"server: {{ {server}, key_file: {key} }}\ndevice: {{ id: footprint }}\n"
        f"receiver: {{ source: serial, path: {receiver} }}\nstate_directory: {folder}/state\n"
        f"socket: {folder}/control.sock\nupload: {{ interval_s: 1 }}\n")
    return run_agent(bench, authorities)


def run_agent(bench, authorities):
    folder = bench.folder
    ready = Ready(folder)
    started = time.monotonic()
    agent = bench.start("geofenced", "run", "--config", folder / "agent.yaml",
                        authorities=authorities, environment={"NOTIFY_SOCKET": str(ready.path)})
    wait(30, lambda: ready.at, "the agent")
    bench.authorities = authorities
    return agent, {"ready_s": round(ready.at - started, 3),
                   "ready_cpu_s": round(usage(agent.pid)["cpu_s"], 3)}


def measure(bench, options):
    folder = bench.folder
    line = write_inputs(folder)
    server_port, key = start_server(bench)
    port = folder / "receiver"
    receiver = bench.start("geofence-field", "simulate", "--route", folder / "route.geojson",
                           "--rate", 5, "--pty", port, "--baud", 115200, "--wait-for-reader",
                           "--linger", 600)
    wait(10, port.exists, "the receiver")
    agent, result = start_agent(bench, server_port, key, port, options)
    began = time.monotonic()
    if options.live:
        wait(30, lambda: bench.status()["receiver"]["state"] == "fix", "a fix")
    else:
        drive(bench, result, agent, options, began)
    if not options.short:
        bench.stop(receiver)
        stand(bench, result, agent, line, port, options.seconds)
    everything_on(bench, result, agent)
    return result


def everything_on(bench, result, agent):
    """The same agent with every part that the configuration can add."""
    folder = bench.folder
    bench.stop(agent)
    (folder / "hint").write_text("0\n")
    with open(folder / "agent.yaml", "a") as file:
        file.write(f"recording: {{ enabled: true }}\nnotify: {{ command: [/bin/cat] }}\n"
                   f"stationary_hint: 'file:{folder}/hint'\n")
    agent, _ = run_agent(bench, bench.authorities)
    say(f"standing with everything on for {SETTLED_S} s")
    time.sleep(SETTLED_S)
    result["everything_on"] = {**usage(agent.pid), "names": threads(agent.pid)}


def drive(bench, result, agent, options, began):
    events = 18 if options.short else 100
    say(f"driving past fences until the server has {events} events")
    wait(420, lambda: bench.acknowledged() >= events, f"{events} delivered events")
    time.sleep(max(0, began + SETTLED_S - time.monotonic()))
    result["after_events"] = {"events": events, **usage(agent.pid)}
    if options.tls != "none":
        result["tls_connections"] = bench.front.connections
        if not bench.front.connections:
            sys.exit("footprint: nothing went through HTTPS")


def stand(bench, result, agent, line, port, seconds):
    folder = bench.folder
    say(f"standing at 1 Hz for {seconds} s")
    (folder / "stand.geojson").write_text(json.dumps(
        {"type": "Feature", "properties": {"stops": [[0, seconds + 60]]},
         "geometry": {"type": "LineString", "coordinates": [line[-1], line[-1][:1] + [50.001]]}}))
    bench.start("geofence-field", "simulate", "--route", folder / "stand.geojson", "--rate", 1,
                "--pty", port, "--baud", 9600, "--noise", "open")
    wait(60, lambda: (bench.status() or {"receiver": {}})["receiver"].get("state") == "fix",
         "a fix at 9600 baud")
    gpsd = start_gpsd(bench, folder / "stand.geojson")
    time.sleep(15)
    processes = [agent] + ([gpsd] if gpsd else [])
    before, began = [usage(process.pid) for process in processes], time.monotonic()
    time.sleep(seconds)
    after, elapsed = [usage(process.pid) for process in processes], time.monotonic() - began
    costs = [per_hour(*pair, elapsed) for pair in zip(before, after)]
    result["at_1_hz"] = costs[0]
    if gpsd:
        result["beside_gpsd"] = compare(*costs)


def main(arguments, description):
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=120)
    parser.add_argument("--live", action="store_true")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--tls", choices=["system", "own", "none"])
    parser.add_argument("--require", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if options.tls is None:
        options.tls = "system" if tls.has_namespaces() else "own"
    programs = options.bin or build()
    with tempfile.TemporaryDirectory(prefix="geofenced-footprint.") as folder:
        bench = Bench(pathlib.Path(folder), programs)
        try:
            result = measure(bench, options)
        finally:
            bench.stop_all()
    kind = "static" if bars.is_static(programs / "geofenced") else "dynamic"
    result |= {"authorities": options.tls, "runtime": kind,
               "binary_bytes": stripped_bytes(programs / "geofenced")}
    if options.json:
        print(json.dumps(result))
    else:
        for name, value in result.items():
            print(f"{name}: {value}")
    if options.require and (defects := bars.broken(result, kind, options.short)):
        sys.exit("footprint: too much: " + "; ".join(defects))


def stripped_bytes(program):
    """The size of a program as it is shipped."""
    with tempfile.NamedTemporaryFile() as copy:
        subprocess.run(["strip", "-o", copy.name, str(program)], check=True)
        return os.stat(copy.name).st_size
