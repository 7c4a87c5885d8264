#!/usr/bin/env python3
"""Writes Tests/Fixtures/zones/zones.json: TZif files and what Python's zoneinfo reads from them.

    python3 scripts/vectors/zones.py

60 zones of the machine's tz database, 200 instants each: random ones, the two seconds around
transitions, and years for which only the TZ string speaks. Twelve of the zones stand there a second
time as `zic -b slim` writes them, so that the TZ string speaks for the present as well. The files
are in the fixture, so that vectors and data agree whatever tz database the machine has. The tz
database is in the public domain.
"""
import base64
import datetime
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import zoneinfo

ROOT = "/usr/share/zoneinfo"
TARGET = os.path.join(os.path.dirname(__file__), "..", "..", "Tests", "Fixtures", "zones",
                      "zones.json")
HARD = ["Africa/Cairo", "Africa/Casablanca", "America/Nuuk", "America/Sao_Paulo", "Asia/Gaza",
        "Asia/Tehran", "Australia/Lord_Howe", "Europe/Berlin", "Europe/Dublin",
        "America/New_York", "Pacific/Apia", "Pacific/Chatham"]
ZONES = HARD + [
    "Africa/El_Aaiun", "Africa/Juba", "Africa/Khartoum", "Africa/Lagos", "Africa/Monrovia",
    "Africa/Sao_Tome", "Africa/Tripoli", "Africa/Windhoek", "America/Anchorage",
    "America/Argentina/San_Luis", "America/Asuncion", "America/Bahia_Banderas",
    "America/Caracas", "America/Ciudad_Juarez", "America/Godthab", "America/Havana",
    "America/Indiana/Winamac", "America/Iqaluit", "America/Mexico_City", "America/Miquelon",
    "America/North_Dakota/Beulah", "America/Phoenix", "America/Punta_Arenas", "America/Santiago",
    "America/Scoresbysund", "America/St_Johns", "Antarctica/Casey", "Antarctica/Troll",
    "Asia/Amman", "Asia/Beirut", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Kolkata",
    "Asia/Manila", "Asia/Pyongyang", "Asia/Riyadh", "Asia/Shanghai", "Asia/Tokyo",
    "Atlantic/Azores", "Australia/Adelaide", "Etc/GMT+12", "Europe/Chisinau", "Europe/Istanbul",
    "Europe/London", "Europe/Volgograd", "Pacific/Auckland", "Pacific/Kiritimati",
    "Pacific/Norfolk"]
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def moment(seconds):
    return EPOCH + datetime.timedelta(seconds=seconds)


def offset(zone, seconds):
    return int(moment(seconds).astimezone(zone).utcoffset().total_seconds())


def year(number):
    return int((datetime.datetime(number, 1, 1, tzinfo=datetime.timezone.utc)
                - EPOCH).total_seconds())


def changes(zone, start, end):
    """Every second at which the offset changes, found by looking once a day and halving."""
    found, step, low = [], 86_400, start
    while low < end:
        high = low + step
        if offset(zone, low) != offset(zone, high):
            left, right = low, high
            while right - left > 1:
                middle = (left + right) // 2
                if offset(zone, middle) == offset(zone, left):
                    left = middle
                else:
                    right = middle
            found.append(right)
        low = high
    return found


def instants(zone, source):
    picked = set()
    around = changes(zone, year(1940), year(2037))
    for second in source.sample(around, min(30, len(around))):
        picked |= {second - 1, second}
    later = changes(zone, year(2060), year(2063)) + changes(zone, year(2398), year(2401))
    for second in later[:12]:
        picked |= {second - 1, second}
    while len(picked) < 150:
        picked.add(source.randrange(year(1880), year(2038)))
    while len(picked) < 200:
        picked.add(source.randrange(year(2038), year(9998)))
    return sorted(picked)


def row(name, data, form, source):
    zone = zoneinfo.ZoneInfo.from_file(io.BytesIO(data), key=name)
    times = instants(zone, source)
    return {"name": name, "form": form, "tzif": base64.b64encode(data).decode(),
            "seconds": times, "offsets": [offset(zone, second) for second in times]}


def main():
    assert len(ZONES) == 60 == len(set(ZONES))
    source = random.Random(8536)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["zic", "-b", "slim", "-d", folder, f"{ROOT}/tzdata.zi"], check=True)
        for name in sorted(ZONES):
            with open(f"{ROOT}/{name}", "rb") as file:
                rows.append(row(name, file.read(), "installed", source))
        for name in HARD:
            with open(f"{folder}/{name}", "rb") as file:
                rows.append(row(name, file.read(), "slim", source))
    with open(f"{ROOT}/tzdata.zi", encoding="utf-8") as file:
        version = file.readline().split()[-1]
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in rows)
    with open(TARGET, "w", encoding="utf-8") as file:
        file.write(f'{{"tzdata":"{version}","rows":[\n{lines}\n]}}\n')
    print(f"{len(rows)} rows of tzdata {version}", file=sys.stderr)


if __name__ == "__main__":
    main()
