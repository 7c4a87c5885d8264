"""The true track: NDJSON lines {"time", "lat", "lon", "sigma_m"}, and times as seconds since 1970."""
import datetime
import json

UTC = datetime.timezone.utc
# Truth worse than that, or with a longer gap, says nothing about a crossing.
MAX_SIGMA_M = 1.0
MAX_GAP_S = 2.0


def seconds(text):
    """Seconds since 1970 of an RFC 3339 time."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def text(at):
    """RFC 3339 with milliseconds."""
    moment = datetime.datetime.fromtimestamp(round(at, 3), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Sample:
    __slots__ = ("time", "lat", "lon", "sigma_m")

    def __init__(self, time, lat, lon, sigma_m):
        self.time, self.lat, self.lon, self.sigma_m = time, lat, lon, sigma_m


def load(path):
    """The usable samples of a track, in time order."""
    samples = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                sample = Sample(seconds(row["time"]), float(row["lat"]), float(row["lon"]),
                                float(row.get("sigma_m") or 0))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{path}:{number}: {error!r}") from error
            if samples and sample.time <= samples[-1].time:
                raise ValueError(f"{path}:{number}: time does not advance")
            if sample.sigma_m <= MAX_SIGMA_M:
                samples.append(sample)
    if len(samples) < 2:
        raise ValueError(f"{path}: fewer than two usable samples")
    return samples
