"""Writes the corpora, from a short simulated drive and from text; the same bytes every time."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
ROUTE = {"type": "Feature", "properties": {"speed_mps": 14}, "geometry": {
    "type": "LineString", "coordinates": [[11.5, 48.1], [11.501, 48.1]]}}


def simulate(program, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        route = pathlib.Path(folder) / "route.geojson"
        route.write_text(json.dumps(ROUTE))
        return subprocess.run([program, "simulate", "--route", route, "--seed", "7", *arguments],
                              capture_output=True, check=True, timeout=60).stdout


def sentence(body):
    parity = 0
    for character in body.encode():
        parity ^= character
    return f"${body}*{parity:02X}\r\n".encode()


def ubx(payload):
    frame = b"\x01\x07" + len(payload).to_bytes(2, "little") + payload
    first = second = 0
    for byte in frame:
        first = (first + byte) & 255
        second = (second + first) & 255
    return b"\xb5b" + frame + bytes([first, second])


def nmea(program):
    start = ("--start", "2026-03-01T23:59:57Z")
    everything = simulate(program, *start, "--sentences", "rmc,vtg,gga,gsa,gsv,gst,zda", "--noise", "urban")
    yield "everything", everything[:1800]
    yield "gga-only", simulate(program, *start, "--sentences", "gga")[:900]
    yield "cold", simulate(program, *start, "--cold-start", "3")[:1200]
    yield "outage", simulate(program, *start, "--outage", "2:3", "--rate", "2")[:2400]
    yield "rolled-over", simulate(program, "--start", "2006-07-16T23:59:57Z")[:1200]
    yield "extras", b"".join(map(sentence, (
        "GNGNS,101010.00,4730.0000,N,01115.0000,E,DAAN,23,0.82,85.6,45.0,,0000,V",
        "GNGLL,4730.0000,N,01115.0000,E,101010.00,A,A", "GNGBS,101010.00,1.6,1.4,3.2,03,,-21.4,3.8,1,0",
        "PUBX,00,101010.00,4730.0,N,01115.0,E,54.7,G3,2.1,3.0,0.007,77.52,-0.007,,0.92,1.19,0.77,9,0,0",
        "PGRME,5.0,M,7.0,M,9.0,M", "GNRMC,,V,,,,,,,,,,N", "GNGGA,,,,,,0,,,,,,,,")))
    yield "binary", everything[:200] + ubx(everything[:80]) + b"\xd3\x00\x13" + everything[200:600]


def logs(program):
    drive = simulate(program, "--start", "2026-03-01T23:59:57Z")[:700]
    moments = [f"2026-03-01T06:00:{second:02d}.000Z" for second in range(4)]
    tpv = [json.dumps({"class": "TPV", "device": "/dev/ttyS0", "mode": 3, "time": moment, "lat": 48.1,
                       "lon": 11.5, "eph": 5.2, "speed": 1.5, "track": 90.0}) for moment in moments]
    sky = json.dumps({"class": "SKY", "hdop": 0.9, "satellites": [{"PRN": 1, "ss": 40, "used": True}]})
    yield "gpsd", "\n".join([json.dumps({"class": "VERSION", "release": "3.22"}), sky, *tpv, ""]).encode()
    yield "gpsd-odd", "\n".join([
        '{"class":"TPV","mode":3,"time":null,"lat":48.1}', '{"class":"TPV","mode":1}',
        '{"class":"DEVICE","activated":0}', '{"class":"TPV","mode":3,"lat":NaN,"lon":1e999}', ""]).encode()
    yield "csv", "\n".join(["time,lat,lon,hacc,speed", *(f"{m},48.1,11.5,5,1.5" for m in moments)]).encode()
    yield "csv-logger", (b"INDEX,TAG,DATE,TIME,LATITUDE N/S,LONGITUDE E/W,HEIGHT,SPEED\n"
                         b"1  ,T,260301,060000,48.1N,11.5E,520 ,20  ,\n")
    points = "".join(f'<trkpt lat="48.1" lon="11.5"><time>{m}</time><hdop>0.9</hdop></trkpt>' for m in moments)
    gpx = f'<?xml version="1.0"?><gpx version="1.1"><trk><trkseg>{points}</trkseg></trk></gpx>'
    yield "gpx", gpx.encode()
    yield "gpx-wide", b"\xff\xfe" + gpx.encode("utf-16-le")
    yield "nmea", drive
    lines = [json.dumps({"k": "header", "io": "in", "m": 0, "schema": "geofence.recording/1"}),
             json.dumps({"k": "raw", "io": "in", "m": 20, "s": drive.decode()}),
             json.dumps({"k": "fix", "io": "in", "m": 900, "time": moments[0], "lat": 48.1, "lon": 11.5,
                         "dimension": "3d", "quality": "autonomous"})]
    yield "recording", "\n".join(lines + [""]).encode()


def answer(headers, *documents):
    return headers.encode() + b"\n" + b"".join(json.dumps(document).encode() for document in documents)


def answers(_):
    words = ("accepted", "duplicate", "rejected", "deferred")
    results = [{"client_event_id": f"e-{index + 1}", "status": word, "code": "c", "retry_after_s": 60,
                "server_notification_verdict": "allowed"} for index, word in enumerate(words)]
    receipt = {"batch_id": "b-1", "server_time": "2026-03-01T06:00:00.000Z", "config_revision": 3, "results": results}
    yield "receipt", answer("200|application/json", receipt)
    yield "receipt-short", answer("200|application/json", {"batch_id": "b-1", "results": results[:1]})
    yield "receipt-odd", answer("200|application/json", {"batch_id": 1, "results": [
        {"client_event_id": 7, "status": "new"}, dict(results[0], client_event_id="e-1"), results[0]]})
    yield "portal", b"200|text/html\n<html><body>Welcome</body></html>"
    yield "heartbeat", answer("200|application/json", {"config_revision": 12})
    yield "problem", answer("422|application/problem+json", {
        "type": "about:blank", "title": "t", "status": 422, "detail": "d", "instance": "/v1", "code": "invalid_event",
        "retryable": False, "errors": [{"pointer": "/events/1/type", "code": "c", "detail": "d"}], "request_id": "r"})
    yield "busy", answer("503|text/html|Sun, 06 Nov 1994 08:50:07 GMT|Sun, 06 Nov 1994 08:49:37 GMT")
    yield "too-many", answer("429|text/html|120")
    ring = [[11.5, 48.1], [11.51, 48.1], [11.51, 48.11], [11.5, 48.1]]
    fence = {"id": "depot", "version": 2, "created_at": "2026-03-01T06:00:00.000Z", "name": "Depot", "type": "circle",
             "center": {"lat": 48.1, "lon": 11.5}, "radius_m": 120, "distance_m": 0, "transitions": ["enter", "dwell"],
             "dwell_s": 300, "cooldown_hours": 24, "timezone": "Europe/Berlin", "priority": 1,
             "active_windows": [{"days": ["mon", "sun"], "start": "08:00", "end": "18:00"}],
             "quiet_hours": {"start": "22:00", "end": "06:00"}, "expires_at": "2027-03-01T06:00:00.000Z",
             "campaigns": [{"id": "c", "version": 1, "trigger": "enter", "title": "t", "body": "b", "data": {"k": 1}}],
             "audience": {"user_ids": [], "device_ids": [], "tags": []}, "metadata": {"k": "v"}}
    yard = {"id": 7, "version": 1, "name": "Yard", "type": "polygon", "center": {"lat": 48.1, "lon": 11.5},
            "radius_m": 900, "geometry": {"type": "Polygon", "coordinates": [ring]}}
    nearest = {"sync_id": "s-1", "server_time": "2026-03-01T06:00:00.000Z", "anchor": {"lat": 48.1, "lon": 11.5},
               "refresh_after_m": 800, "refresh_after_s": 3600, "coverage_radius_m": 950.5, "truncated": True, "limit": 18,
               "fences": [fence], "config": {"revision": 7, "fence_limit": 18, "refresh_after_m": 1000, "cooldown_hours": 24,
                                             "upload": {"max_batch": 200, "interval_s": 60},
                                             "accuracy": {"arrive_max_m": 100, "depart_max_m": 300}}}
    yield "fences", answer("200|application/json", nearest)
    yield "fences-polygon", answer("200|application/json", dict(nearest, fences=[yard], coverage_radius_m=None))
    yield "fences-none", answer("304|application/json", dict(nearest, fences=[], config={"revision": 1}))


def dates(_):
    standard, obsolete = "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT"
    for name, value in (("seconds", "120"), ("huge", "9" * 40), ("standard", standard), ("obsolete", obsolete),
                        ("asctime", "Sun Nov  6 08:49:37 1994"), ("leap", "Tue, 29 Feb 2028 23:59:60 GMT"),
                        ("last", "Fri, 31 Dec 9999 23:59:59 GMT"), ("signed", "-5"), ("fraction", "1.5")):
        yield name, f"{value}\n{standard}".encode()


def gpsd(program):
    made = dict(logs(program))
    yield "live", made["gpsd"]
    yield "odd", made["gpsd-odd"]
    tpv = {"class": "TPV", "device": "/dev/ttyS0", "mode": 3, "time": "2026-03-01T06:00:00.000Z", "lat": 48.1,
           "lon": 11.5, "altMSL": 520.1, "epx": 3.1, "epy": 4.2, "epv": 9, "speed": 14, "track": 359.9, "status": 2}
    others = ({"class": "VERSION", "release": "3.25", "rev": "3.25", "proto_major": 3, "proto_minor": 15},
              {"class": "DEVICES", "devices": [{"class": "DEVICE", "path": "/dev/ttyS0", "activated": "x", "bps": 9600}]},
              {"class": "WATCH", "enable": True, "json": True}, tpv, dict(tpv, device="/dev/ttyS1", mode=2),
              {"class": "SKY", "device": "/dev/ttyS0", "hdop": 0.9, "uSat": 7, "nSat": 12,
               "satellites": [{"PRN": 5, "ss": 41.5, "used": True}]},
              {"class": "GST", "device": "/dev/ttyS0", "rms": 2.1, "lat": 1.2, "lon": 1.1},
              {"class": "ERROR", "message": "x"}, dict(tpv, time="2026-03-01T06:00:01.000Z", lat=0, lon=0))
    yield "all", "\r\n".join([*map(json.dumps, others), ""]).encode()


def recordings(program):
    made = dict(logs(program))
    yield "log", made["recording"]
    header = {"k": "header", "io": "in", "m": 0, "schema": "geofence.recording/1", "agent_version": "1", "profile": "vehicle",
              "rules": {}, "run": {"id": "r", "part": 1, "boot_id": "0" * 32, "started_m": 0}}
    fence = {"id": "depot", "version": 1, "name": "Depot", "type": "circle", "center": {"lat": 48.1, "lon": 11.5},
             "radius_m": 120, "dwell_s": 60}
    lines = [header, {"k": "fences", "io": "in", "m": 0, "fences": [fence]}, {"k": "source", "io": "in", "m": 0, "event": "opened"}]
    lines += [{"k": "fix", "io": "in", "m": 1000 * second, "time": f"2026-03-01T06:00:{second:02d}.000Z", "lat": 48.1,
               "lon": 11.5, "dimension": "3d", "quality": "autonomous", "hacc": 5} for second in range(1, 5)]
    lines += [{"k": "hint", "io": "in", "m": 5000, "stationary": True}, {"k": "tick", "io": "in", "m": 6000},
              {"k": "mark", "io": "in", "m": 6000, "label": "x"}, {"k": "network", "io": "obs", "m": 6000, "link": True},
              {"k": "gap", "io": "in", "m": 7000, "lost": 3}, {"k": "restart", "io": "in", "m": 8000}]
    yield "run", "\n".join([*map(json.dumps, lines), ""]).encode()
    yield "torn", "\n".join(map(json.dumps, lines)).encode()[:-9]


def configuration(_):
    yield "vehicle", (b"server: { url: 'https://x.example.org', key_file: /etc/k, ca_file: /etc/ca }\n"
                      b"device: { id: van-7, profile: vehicle }\nreceiver:\n  source: serial\n  path: /dev/ttyS0\n"
                      b"  baud: 9600\nqueue: { max_bytes: 67108864 }\nupload: { interval_s: 60, max_batch: 200 }\n"
                      b"heartbeat_s: 300\nrecording: { enabled: true }\nlog_level: debug\n")
    yield "kiosk", (b"# a kiosk\ndevice:\n  id: kiosk\n  profile: kiosk\nposition: { lat: 47.4, lon: 8.5, accuracy_m: 5 }\n"
                    b"fences_file: /etc/f.geojson\nnotify: { command: [/bin/sh, -c, 'x'], burst_s: 5 }\n"
                    b"stationary_hint: none\nrules: { dwell_gap_max_s: 600 }\nstate_directory: /s\nsocket: /s/c\n")
    yield "gpsd", b"receiver: { source: gpsd, host: '::1', port: 2947 }\n"
    yield "wrong", b"receiver: {source: gpsd, path: /x, baud: 7}\nunknown: [1, {a: b}]\nupload: {interval_s: -1}\n"


def main():
    shutil.rmtree(CORPUS, ignore_errors=True)
    for name, make, prefix in (
            ("nmea", nmea, b"\x07"), ("logs", logs, b""), ("answers", answers, b""), ("dates", dates, b""),
            ("gpsd", gpsd, b"\x07"), ("recordings", recordings, b""), ("configuration", configuration, b"")):
        (CORPUS / name).mkdir(parents=True)
        for entry, data in make(sys.argv[1]):
            (CORPUS / name / entry).write_bytes(prefix + data)


if __name__ == "__main__":
    main()
