"""A fleet of simulated agents (geofence-field load) against a real geofence-server.

Each device gets a key of its own by a single-use code, asks for its fences and uploads events by the
agent's rules, over a bounded number of shared connections. Some receipts are lost on purpose. Fails
where a request went wrong, an event is missing or there twice in the database, a sequence number is
missing, the server calls other events duplicates than those whose receipt was lost, or it needs more
memory than it may.
"""

import argparse
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SERVER_BYTES = 200 * 1024 * 1024
# Percent of so many batches: of so many losses one in 20,000 runs has none.
SHOWN = 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=ROOT / ".build/release", type=pathlib.Path,
                        help="folder of the built programs")
    parser.add_argument("--devices", type=int, default=500)
    parser.add_argument("--duration", type=int, default=20, help="seconds")
    parser.add_argument("--ramp", type=int, default=5, help="seconds over which they start")
    parser.add_argument("--rate", type=float, help="events a second; a tenth of the devices else")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--interval", type=int, default=5,
                        help="upload.interval_s, which the server tells the devices")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lose", type=float, default=2, help="percent of the receipts")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="load-") as folder:
        sys.exit(run(arguments, pathlib.Path(folder)))


def run(arguments, folder):
    program = arguments.bin / "geofence-server"
    database = folder / "server.db"
    made = json.loads(subprocess.run(
        [program, "init", "--database", database, "--workspace", "load", "--json"],
        check=True, capture_output=True, text=True).stdout)
    (folder / "admin").write_text(made["admin_key"] + "\n")
    (folder / "fences.geojson").write_text(json.dumps(fences()))
    subprocess.run([program, "import", "--database", database, folder / "fences.geojson"],
                   check=True, capture_output=True)
    log = open(folder / "server.log", "w")
    server = subprocess.Popen(
        [program, "serve", "--database", database, "--listen", "127.0.0.1:0"], stderr=log)
    try:
        url = address(folder / "server.log", server)
        configure(url, made["admin_key"], arguments.interval)
        wrong = load(arguments, url, folder, server.pid)
    finally:
        server.send_signal(signal.SIGTERM)
        status = server.wait(timeout=60)
    if status != 0:
        print(f"BAD the server ended with {status}")
    return 1 if wrong(database) or status else 0


def fences():
    """100 circles, as many as a workspace has."""
    return {"type": "FeatureCollection", "features": [
        {"type": "Feature", "id": f"f-{number}",
         "geometry": {"type": "Point", "coordinates": [
             13.2 + number % 10 * 0.04, 52.4 + number // 10 * 0.025]},
         "properties": {"name": f"Fence {number}", "radius_m": 150, "dwell_s": 180}}
        for number in range(100)]}


def address(path, process):
    for _ in range(400):
        for line in path.read_text().splitlines():
            if "listening on " in line:
                return line.split("listening on ")[1].strip()
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit("load: the server does not start:\n" + path.read_text())


def configure(url, key, interval):
    request = urllib.request.Request(
        f"{url}/v1/admin/config", method="PUT",
        data=json.dumps({"upload": {"interval_s": interval}}).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=10).close()


def load(arguments, url, folder, pid):
    """Runs the fleet; a function that looks into the database and tells what is wrong."""
    command = [
        arguments.bin / "geofence-field", "load", "--server", url, "--provision", folder / "admin",
        "--devices", str(arguments.devices), "--duration", str(arguments.duration),
        "--ramp", str(arguments.ramp), "--connections", str(arguments.connections),
        "--around", "52.51,13.38", "--lose", str(arguments.lose), "--seed", str(arguments.seed),
        "--server-pid", str(pid), "--json"]
    if arguments.rate:
        command += ["--rate", str(arguments.rate)]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if not done.stdout:
        raise SystemExit(f"load: geofence-field says {done.stderr}")
    report = json.loads(done.stdout)
    print(json.dumps(report, indent=1))
    return lambda database: judge(report, done, arguments, database)


def judge(report, done, arguments, path):
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows, distinct, devices = database.execute(
        "SELECT count(*), count(DISTINCT client_event_id), count(DISTINCT device) FROM events"
    ).fetchone()
    missing = database.execute(
        "SELECT count(*) FROM (SELECT count(*) AS n, max(seq) AS last FROM events "
        "GROUP BY device, epoch HAVING n <> last)").fetchone()[0]
    events = report["events"]
    memory = report["memory"]["server_bytes"]
    checks = [
        ("errors", report["errors"], report["errors"] == {}),
        ("exit status and words of the fleet", f"{done.returncode} {done.stderr.strip()}",
         done.returncode == 0 and not done.stderr),
        ("events made, accepted, in the database, distinct",
         (events["made"], events["accepted"], rows, distinct),
         events["made"] == rows == distinct and rows > 0),
        ("duplicates, results in lost receipts", (events["duplicates"], events["lost"]),
         events["duplicates"] == events["lost"]),
        # A short run may well lose none of its few receipts.
        (f"lost receipts show, of {report['requests']['batch']} batches", events["lost"] > 0,
         events["lost"] > 0 or report["requests"]["batch"] * arguments.lose < SHOWN),
        ("epochs with a gap", missing, missing == 0),
        ("devices with events", devices, 0 < devices <= arguments.devices),
        ("server's resident MiB", round(memory / 1048576, 1), memory <= SERVER_BYTES),
    ]
    wrong = 0
    for what, told, is_right in checks:
        print(f"{'ok ' if is_right else 'BAD'} {what}: {told}")
        wrong += not is_right
    latency = report["latency_ms"]["all"]
    print(f"load: {report['devices']} devices, {report['requests']['all']} requests, "
          f"{report['events_per_s']} events/s, p50 {latency['p50']} p95 {latency['p95']} "
          f"p99 {latency['p99']} max {latency['max']} ms; "
          + (f"{wrong} wrong" if wrong else "everything as expected"))
    return wrong


main()
