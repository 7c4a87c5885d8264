"""Holds a running geofence-server to docs/openapi.yaml with schemathesis: all checks, every operation.

Starts the program on a new database, lets schemathesis make requests of every kind that the document
allows and of many that it does not, and fails where an answer is not what the document says, or where
an operation never got to say yes.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", default=ROOT / ".build/debug", type=pathlib.Path,
                        help="folder of the built programs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=15,
                        help="requests of the fuzzing phase for each operation")
    parser.add_argument("--limit", type=int, default=420, help="seconds for everything")
    parser.add_argument("--only", help="one operationId")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="contract-") as folder:
        sys.exit(run(arguments, pathlib.Path(folder)))


def run(arguments, folder):
    server = arguments.bin / "geofence-server"
    database = str(folder / "server.db")
    made = json.loads(subprocess.run(
        [server, "init", "--database", database, "--workspace", "contract", "--json"],
        check=True, capture_output=True, text=True).stdout)
    subprocess.run(
        [server, "limits", "--database", database, "--fences", "1000000", "--keys", "1000000"],
        check=True, capture_output=True)
    # Hundreds of wrong keys from one address would wait for most of the time.
    config = folder / "server.yaml"
    config.write_text("limits:\n  refusal_delay_s: 0\n")
    log = open(folder / "server.log", "w+")
    process = subprocess.Popen(
        [server, "serve", "--database", database, "--listen", "127.0.0.1:0",
         "--config", config], stderr=log)
    try:
        url = address(folder / "server.log", process)
        send_events(url, made)
        status = check(arguments, folder, url, made)
        if process.poll() is not None:
            print(f"contract: the server ended with {process.returncode}")
            status = 1
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=20)
    status = round_trip(server, folder) or status
    return coverage(folder / "answers", arguments.only) or status


def address(path, process):
    """Where the server says that it listens."""
    for _ in range(200):
        for line in path.read_text().splitlines():
            if "listening on " in line:
                return line.split("listening on ")[1].strip()
        if process.poll() is not None:
            break
        time.sleep(0.05)
    raise SystemExit("contract: the server does not start:\n" + path.read_text())


def codes(url, made):
    """Single-use codes for as many requests as may be meant to be right."""
    result = []
    for _ in range(400):
        request = urllib.request.Request(
            f"{url}/v1/admin/provision-codes", data=b"{}", headers={
                "Authorization": f"Bearer {made['admin_key']}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            result.append(json.load(answer)["code"])
    return " ".join(result)


def send_events(url, made):
    """The event and the visit that the hooks ask for."""
    events = [{
        "client_event_id": name, "queue_epoch": "contract", "seq": seq, "boot_id": "b", "type": kind,
        "fence_id": "f", "visit_id": visit, "occurred_at": "2026-01-31T12:00:00.000Z",
        "detected_at": "2026-01-31T12:00:00.000Z", "mono_ms": 1, "wall_at": "2026-01-31T12:00:00.000Z",
        "wall_synchronised": True, "time_quality": "gnss", "initial": False, "inferred": False,
        "notification": {"decision": "none"}}
        for seq, (name, kind, visit) in enumerate(
            [("contract-event", "enter", None), ("contract-2", "visit_started", "contract-visit")], 1)]
    # Another device than that of the hooks, which may be erased.
    request = urllib.request.Request(
        f"{url}/v1/events/batch",
        data=json.dumps({"batch_id": "b", "device_id": "contract-0", "events": events}).encode(),
        headers={"Authorization": f"Bearer {made['device_key']}", "X-Device-Id": "contract-0",
                 "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        results = json.load(answer)["results"]
    if [result["status"] for result in results] != ["accepted", "accepted"]:
        raise SystemExit(f"contract: the first events: {results}")


def round_trip(server, folder, count=20000):
    """What is exported of many fences is more than the route takes, and `import` changes nothing by it."""
    database = folder / "many.db"
    first, second = folder / "first.geojson", folder / "second.geojson"
    features = []
    for number in range(count):
        lon, lat = (number % 400) * 0.8 - 160, (number // 400) * 3 - 75
        corners = [[0, 0], [0.01, 0], [0.01, 0.01], [0, 0.01], [0, 0]]
        ring = [[lon + east, lat + north] for east, north in corners]
        circle = {"type": "Point", "coordinates": [lon, lat]}
        features.append({
            "type": "Feature", "id": f"f-{number}",
            "properties": {"name": f"Branch {number}", "radius_m": 150},
            "geometry": {"type": "Polygon", "coordinates": [ring]} if number % 3 else circle})
    first.write_text(json.dumps({"type": "FeatureCollection", "features": features}))

    def run_server(command, *rest):
        return subprocess.run([server, command, "--database", database, *rest],
                              check=True, capture_output=True, text=True).stdout

    run_server("init", "--workspace", "many")
    run_server("limits", "--fences", str(count))
    began = time.monotonic()
    made = json.loads(run_server("import", "--json", first))
    second.write_text(run_server("export"))
    again = json.loads(run_server("import", "--json", "--replace", second))
    told = [len(made["created"]), len(again["unchanged"]), len(again["updated"]), len(again["deleted"])]
    good = told == [count, count, 0, 0] and run_server("export") == second.read_text()
    good = good and second.stat().st_size > 1048576
    print(f"contract: {count} fences, {second.stat().st_size / 1e6:.1f} MB, exported and imported again "
          f"in {time.monotonic() - began:.1f} s: created, unchanged, updated, deleted {told}: "
          + ("as it was" if good else "NOT as it was"), flush=True)
    return 0 if good else 1


def check(arguments, folder, url, made):
    config = folder / "schemathesis.toml"
    config.write_text(f"""
seed = {arguments.seed}

[auth.openapi.deviceKey]
bearer = "{made['device_key']}"

[auth.openapi.adminKey]
bearer = "{made['admin_key']}"

[generation]
database = "none"

[checks]
negative_data_rejection.expected-statuses = ["400", "401", "403", "404", "405", "409", "413", "415", "422"]
""")
    command = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", config, "run",
        ROOT / "docs/openapi.yaml", "--url", url, "--checks", "all", "--mode", "all",
        "--max-examples", str(arguments.examples), "--continue-on-failure", "--workers", "1",
        "--output-truncate", "false",
    ]
    if arguments.only:
        command += ["--include-operation-id", arguments.only]
    environment = dict(os.environ, SCHEMATHESIS_HOOKS="hooks", PYTHONPATH=str(HERE),
                       CONTRACT_ANSWERS=str(folder / "answers"), CONTRACT_CODES=codes(url, made))
    try:
        return subprocess.run(
            [str(part) for part in command], env=environment, cwd=folder,
            timeout=arguments.limit).returncode
    except subprocess.TimeoutExpired:
        print(f"contract: not done within {arguments.limit} s")
        return 1


def coverage(path, only):
    """Whether every operation of the document said yes at least once; tells the answers."""
    document = yaml.safe_load((ROOT / "docs/openapi.yaml").read_text())
    answers = {}
    for line in path.read_text().splitlines():
        operation, status = line.rsplit(" ", 1)
        answers.setdefault(operation, {}).setdefault(status, 0)
        answers[operation][status] += 1
    missing = 0
    for url, methods in document["paths"].items():
        for method in methods:
            if method not in ("get", "put", "post", "delete", "patch"):
                continue
            if only and methods[method]["operationId"] != only:
                continue
            operation = f"{method.upper()} {url}"
            seen = answers.get(operation, {})
            agreed = any(status.startswith("2") for status in seen)
            # Where there is an entity tag, one that matches was sent as well.
            if "304" in methods[method]["responses"]:
                agreed = agreed and "304" in seen
            missing += not agreed
            told = " ".join(f"{status}x{count}" for status, count in sorted(seen.items()))
            print(f"{'ok ' if agreed else 'NOT'} {operation}: {told}")
    print(f"contract: {missing} operations never said yes" if missing
          else "contract: every operation said yes")
    return 1 if missing else 0


main()
