"""Simulates a log of over 20 MB and measures, on one core and in the same run:

- `geofence-field bench nmea`: every sentence of it into typed values, all checks, epochs and fixes;
- pynmea2 over the same sentences, each value read, since it converts a field only when it is asked
  for it; C minmea is 28 times as fast as that (measured once, on one machine, with both);
- the processor time of `geofence-field decode` printing NDJSON, and of gpsdecode printing its JSON;
- calls of malloc for each further sentence: the slope between the log and the log four times over.

Exit status: 0 right, 1 something failed, 5 below what is required (with --require).
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import pynmea2

TOP = pathlib.Path(__file__).resolve().parents[2]
LEAST_BYTES = 20_000_000
MINMEA_PER_PYNMEA2 = 28
REQUIRED_MINMEA = 3
GOAL_MINMEA = 5
REQUIRED_GPSDECODE = 10
MOST_ALLOCATIONS = 0.01
VALUES = {
    "RMC": ("timestamp", "status", "latitude", "longitude", "spd_over_grnd", "true_course", "datestamp"),
    "GGA": ("timestamp", "latitude", "longitude", "gps_qual", "num_sats", "horizontal_dil", "altitude"),
    "VTG": ("true_track", "spd_over_grnd_kts"), "GSA": ("mode_fix_type", "pdop", "hdop", "vdop"),
    "GST": ("timestamp", "std_dev_latitude", "std_dev_longitude"),
    "ZDA": ("timestamp", "day", "month", "year"), "GSV": ("num_messages", "msg_num", "num_sv_in_view"),
}
ROUTE = {
    "type": "Feature", "properties": {"speed_mps": 14},
    "geometry": {"type": "LineString", "coordinates": [
        [11.50 + 0.01 * i, 48.10 + (0.004 if i % 2 else 0)] for i in range(40)]}}


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=300, **options)
    if done.returncode:
        sys.exit(f"{command[0]}: {done.returncode}: {done.stderr.decode()[-500:]}")
    return done


def simulate(field, folder):
    route, log = folder / "route.geojson", folder / "drive.nmea"
    route.write_text(json.dumps(ROUTE))
    run(field, "simulate", "--route", route, "--rate", 5, "--linger", 12000, "--noise", "suburb",
        "--seed", 7, "--start", "2026-03-01T06:00:00Z", "--output", log)
    text = log.read_bytes()
    if len(text) < LEAST_BYTES:
        sys.exit(f"the simulated log has only {len(text)} bytes")
    return log, text


def pynmea2_rate(text):
    """MB/s of pynmea2 over the sentences, in text already, and how many it took."""
    lines = text.decode("ascii").split("\r\n")
    taken, best = 0, float("inf")
    part = lines[:len(lines) // 4]
    size = sum(len(line) + 2 for line in part)
    for _ in range(3):
        taken, began = 0, time.process_time()
        for line in part:
            if line:
                message = pynmea2.parse(line, check=True)
                for name in VALUES.get(message.sentence_type, ()):
                    getattr(message, name)
                taken += 1
        best = min(best, time.process_time() - began)
    return size / 1e6 / best, taken


def cpu_seconds(command, source):
    """The least processor time of three runs, output thrown away."""
    best = float("inf")
    for _ in range(3):
        with open(source, "rb") as given, open(os.devnull, "wb") as sink:
            child = subprocess.Popen(command, stdin=given, stdout=sink, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"{command[0]} ended with {child.returncode}")
        best = min(best, usage.ru_utime + usage.ru_stime)
    return best


def allocations(field, log, counter):
    done = run(field, "decode", log, env=os.environ | {"LD_PRELOAD": str(counter)})
    return int(re.search(rb"allocations (\d+)", done.stderr)[1])


def allocations_per_sentence(field, log, text, folder):
    counter, longer = folder / "count.so", folder / "longer.nmea"
    run("cc", "-shared", "-fPIC", "-O2", "-o", counter,
        TOP / "scripts" / "benchmarks" / "count_allocations.c", "-ldl")
    longer.write_bytes(text * 4)
    more = 3 * text.count(b"$")
    return (allocations(field, longer, counter) - allocations(field, log, counter)) / more


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, default=TOP / ".build" / "release")
    parser.add_argument("--require", action="store_true")
    options = parser.parse_args()
    field = options.bin / "geofence-field"
    if not field.exists():
        subprocess.run(["swift", "build", "-c", "release", "--product", "geofence-field"], cwd=TOP,
                       check=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-nmea-"))
    try:
        log, text = simulate(field, folder)
        ours = json.loads(run(field, "bench", "nmea", "--json", "--seconds", 4, log).stdout)
        theirs, taken = pynmea2_rate(text)
        ratio = ours["mb_per_s"] / (MINMEA_PER_PYNMEA2 * theirs)
        print(f"log             {len(text) / 1e6:.1f} MB, {ours['sentences']} sentences, "
              f"{ours['epochs']} epochs, {ours['fixes']} fixes, {ours['rejected']} rejected")
        print(f"bench nmea      {ours['mb_per_s']:.0f} MB/s, {ours['ns_per_sentence']} ns a sentence")
        print(f"pynmea2 {pynmea2.version}  {theirs:.2f} MB/s ({taken} sentences)")
        print(f"ratio           {ours['mb_per_s'] / theirs:.0f} x pynmea2 = {ratio:.1f} x minmea "
              f"(required {REQUIRED_MINMEA}, goal {GOAL_MINMEA})")
        failures = [] if ratio >= REQUIRED_MINMEA else ["bench nmea"]
        count = allocations_per_sentence(field, log, text, folder)
        print(f"allocations     {count:.6f} a sentence")
        if count > MOST_ALLOCATIONS:
            failures.append("allocations")
        if shutil.which("gpsdecode"):
            mine = cpu_seconds([str(field), "decode", "-"], log)
            gpsd = cpu_seconds(["gpsdecode"], log)
            print(f"decode          {mine:.3f} s of processor time, gpsdecode {gpsd:.3f} s: "
                  f"{gpsd / mine:.0f} x (required {REQUIRED_GPSDECODE})")
            if gpsd / mine < REQUIRED_GPSDECODE:
                failures.append("decode")
        else:
            print("gpsdecode is not installed: decode is not compared")
        if failures and options.require:
            print("below what is required: " + ", ".join(failures), file=sys.stderr)
            sys.exit(5)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
