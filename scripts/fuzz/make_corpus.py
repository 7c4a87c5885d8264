"""Writes the corpora from a short simulated drive; the same bytes every time."""
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


def main():
    shutil.rmtree(CORPUS, ignore_errors=True)
    for name, make, prefix in (("nmea", nmea, b"\x07"), ("logs", logs, b"")):
        (CORPUS / name).mkdir(parents=True)
        for entry, data in make(sys.argv[1]):
            (CORPUS / name / entry).write_bytes(prefix + data)


if __name__ == "__main__":
    main()
