"""Runs `geofence-field bench server` beside a geofence-server of its own on loopback, prints its
figures with their bars, and compares exported answers with geographiclib.
"""
import argparse
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import geographic

TOP = pathlib.Path(__file__).resolve().parents[2]
THRESHOLD = 5
# figure, bar, whether more is better
BARS = [
    ("index", "us_p50", 25, False),
    ("index", "times_faster", 6, True),
    ("index", "build_times_faster", 10, True),
    ("route", "times_healthz", 1.6, False),
    ("route", "share_of_healthz", 0.35, True),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fences", type=int, default=1_000_000)
    parser.add_argument("--served", type=int, default=20_000, help="fences of the server")
    parser.add_argument("--check", type=int, default=10_000,
                        help="questions for which every fence is measured")
    parser.add_argument("--check-fences", type=int, default=100_000)
    parser.add_argument("--geographic", type=int, default=1_000,
                        help="of them compared with geographiclib")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    if options.bin is None:
        for product in ("geofence-field", "geofence-server"):
            subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=TOP,
                           check=True, stdout=subprocess.DEVNULL)
        options.bin = TOP / ".build" / "release"
    with tempfile.TemporaryDirectory(prefix="bench-server-") as folder:
        sys.exit(run(options, pathlib.Path(folder)))


def run(options, folder):
    field = options.bin / "geofence-field"
    exported = folder / "answers.jsonl"
    figures = {}

    def bench(*arguments):
        done = subprocess.run([field, "bench", "server", "--seed", str(options.seed), *arguments],
                              check=True, capture_output=True, text=True)
        for line in done.stdout.splitlines():
            print(line, flush=True)
            part = json.loads(line)
            figures[part.pop("bench")] = part

    bench("--fences", str(options.fences), "--check", str(options.check),
          "--check-fences", str(options.check_fences), "--export", str(exported))
    server, port, key = serve(options, folder)
    try:
        bench("--route-only", "--port", str(port), "--key-file", str(key),
              "--seconds", str(options.seconds))
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=30)
    status = 0
    for part, figure, bar, more in BARS:
        value = figures[part][figure]
        reached = value >= bar if more else value <= bar
        print(f"{part:6} {figure:18} {value:>9}  {'>=' if more else '<='} {bar}"
              f"  {'yes' if reached else 'NO'}")
        if not reached and options.require:
            status = THRESHOLD
    return geographic.compare(exported, options.geographic) or status


def serve(options, folder):
    """A server with fences around the place that the bench asks for."""
    program = options.bin / "geofence-server"
    database = folder / "server.db"
    made = json.loads(subprocess.run(
        [program, "init", "--database", database, "--workspace", "bench", "--json"],
        check=True, capture_output=True, text=True).stdout)
    subprocess.run([program, "limits", "--database", database, "--fences", str(options.served)],
                   check=True, capture_output=True)
    fences = folder / "fences.geojson"
    fences.write_text(json.dumps(land(options.served, options.seed)))
    subprocess.run([program, "import", "--database", database, fences],
                   check=True, capture_output=True)
    key = folder / "key"
    key.write_text(made["device_key"])
    config = folder / "server.yaml"
    config.write_text("log_level: error\nlimits:\n  key_requests_per_second: 1000000\n"
                      "  key_burst: 10000000\n")
    log = folder / "server.log"
    process = subprocess.Popen(
        [program, "serve", "--database", database, "--listen", "127.0.0.1:0", "--config", config],
        stdout=subprocess.DEVNULL, stderr=log.open("w"))
    for _ in range(600):
        for line in log.read_text().splitlines():
            if "listening on " in line:
                return process, int(line.rsplit(":", 1)[1]), key
        if process.poll() is not None:
            break
        time.sleep(0.05)
    process.kill()
    process.wait()
    raise SystemExit("bench-server: the server does not start:\n" + log.read_text())


def land(count, seed):
    numbers = random.Random(seed)
    features = []
    for index in range(count):
        lon, lat = 13.389 + numbers.uniform(-1, 1), 52.517 + numbers.uniform(-1, 1)
        properties = {"id": f"branch-{index}", "name": f"Branch {index}",
                      "dwell_s": 300, "metadata": {"city": "Berlin"}}
        if index % 10:
            geometry = {"type": "Point", "coordinates": [lon, lat]}
            properties["radius_m"] = round(numbers.uniform(100, 300))
        else:
            half = numbers.uniform(0.001, 0.003)
            ring = [[lon - half, lat - half], [lon + half, lat - half], [lon + half, lat + half],
                    [lon - half, lat + half], [lon - half, lat - half]]
            geometry = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "id": f"branch-{index}", "properties": properties,
                         "geometry": geometry})
    return {"type": "FeatureCollection", "features": features}


if __name__ == "__main__":
    main()
