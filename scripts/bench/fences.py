"""Times geofence-field's whole decision (gate, 18 signed distances, state machine) and, in turn with
it on the same fixes and fences, shapely's bare containment: 18 calls of contains_xy over all fixes,
prepared polygons, one core, nothing decided.

A circle is 64-sided for shapely, on the plane at its latitude.  Rounds alternate, so that a busy
machine slows both; the best round of each counts.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy
import shapely

TOP = pathlib.Path(__file__).resolve().parents[2]
THRESHOLD = 5
METRES_PER_DEGREE = 111_320


def polygons(path):
    for feature in json.loads(path.read_text())["features"]:
        shape = shapely.geometry.shape(feature["geometry"])
        radius = feature["properties"].get("radius_m")
        if radius is not None:
            narrow = math.cos(math.radians(shape.y))
            circle = shapely.Point(0, 0).buffer(radius / METRES_PER_DEGREE, quad_segs=16)
            shape = shapely.transform(
                circle, lambda at, s=shape, n=narrow: at / [n, 1] + [s.x, s.y])
        shapely.prepare(shape)
        yield shape


def shapely_round(shapes, longitudes, latitudes):
    start = time.perf_counter()
    inside = sum(int(shapely.contains_xy(s, longitudes, latitudes).sum()) for s in shapes)
    return time.perf_counter() - start, inside


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--fixes", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--max-ratio", type=float)
    options = parser.parse_args()
    if options.bin is None:
        subprocess.run(["swift", "build", "-c", "release", "--product", "geofence-field"], cwd=TOP,
                       check=True, stdout=subprocess.DEVNULL)
        options.bin = TOP / ".build" / "release"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        command = [options.bin / "geofence-field", "bench", "fences", "--json",
                   "--fixes", str(options.fixes), "--seconds", "1"]
        run = json.loads(subprocess.run([*command, "--export", folder], check=True,
                                        capture_output=True).stdout)
        shapes = list(polygons(folder / "fences.geojson"))
        positions = numpy.fromfile(folder / "positions.f64", "<f8").reshape(-1, 2)
    longitudes = numpy.ascontiguousarray(positions[:, 0])
    latitudes = numpy.ascontiguousarray(positions[:, 1])
    ours, replay, theirs, inside = run["ns_per_fix"], run["replay_fixes_per_s"], math.inf, 0
    for _ in range(options.rounds):
        seconds, inside = shapely_round(shapes, longitudes, latitudes)
        theirs = min(theirs, seconds / len(longitudes) * 1e9)
        again = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        ours, replay = min(ours, again["ns_per_fix"]), max(replay, again["replay_fixes_per_s"])
    ratio = ours / theirs
    print(f"{len(longitudes)} fixes, {len(shapes)} fences, {inside / len(longitudes):.2f} of them "
          f"around a fix, {run['transitions']} transitions")
    print(f"geofence-field, whole decision    {ours:8.1f} ns a fix")
    print(f"shapely {shapely.__version__}, containment only {theirs:8.1f} ns a fix")
    print(f"ratio {ratio:.2f}; {replay} fixes a second through the agent's pipeline")
    return THRESHOLD if options.max_ratio is not None and ratio > options.max_ratio else 0


if __name__ == "__main__":
    sys.exit(main())
