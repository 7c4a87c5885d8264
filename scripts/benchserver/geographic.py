"""Compares answers of the nearest fences with geographiclib's geodesics.

An edge distance may differ by what the design allows: 0.01 m at 1 km and 0.15 m at 10 km for
polygons, 0.56 % across continents.  Two fences may change places only where they are as near to each
other as that.
"""
import json
import math

from geographiclib.geodesic import Geodesic

EARTH = Geodesic.WGS84
STEPS = 60


def tolerance(distance):
    if distance < 1_000:
        return 0.02
    if distance < 50_000:
        return 0.02 + 2e-5 * distance
    return 6e-3 * distance if distance > 1_000_000 else 0.2 + 5e-5 * distance


def geodesic(place, other):
    return EARTH.Inverse(*place, *other, Geodesic.DISTANCE)["s12"]


def unwrapped(longitude, reference):
    return longitude - 360 * round((longitude - reference) / 360)


def inside(place, ring):
    """Even-odd in the lon/lat plane, in which the edges are straight."""
    result = False
    line = [unwrapped(lon, ring[0][1]) for _, lon in ring]
    lon = unwrapped(place[1], sum(line) / len(line))
    for index in range(len(ring) - 1):
        (south, _), (north, _) = ring[index], ring[index + 1]
        if (south > place[0]) != (north > place[0]):
            share = (place[0] - south) / (north - south)
            if lon < line[index] + share * (line[index + 1] - line[index]):
                result = not result
    return result


def edge_distance(place, start, end):
    """To the nearest point of an edge: a search by golden section, as the distance has one least."""
    across = unwrapped(end[1], start[1]) - start[1]

    def at(share):
        longitude = start[1] + share * across
        return geodesic(place, (start[0] + share * (end[0] - start[0]),
                                (longitude + 180) % 360 - 180))

    ratio = (math.sqrt(5) - 1) / 2
    low, high = 0.0, 1.0
    one, other = high - ratio, ratio
    first, second = at(one), at(other)
    for _ in range(STEPS):
        if first < second:
            high, other, second = other, one, first
            one = high - ratio * (high - low)
            first = at(one)
        else:
            low, one, first = one, other, second
            other = low + ratio * (high - low)
            second = at(other)
        if abs(first - second) < 1e-4 and high - low < 1e-6:
            break
    return min(first, second, at(0), at(1))


def distance(place, fence):
    if "center" in fence:
        return max(0.0, geodesic(place, fence["center"]) - fence["radius_m"])
    ring = fence["ring"]
    if inside(place, ring):
        return 0.0
    corners = sorted(range(len(ring) - 1),
                     key=lambda index: min(geodesic(place, ring[index]),
                                           geodesic(place, ring[index + 1])))
    return min(edge_distance(place, ring[index], ring[index + 1]) for index in corners)


def compare(path, count):
    """0 where all agree; prints what was compared and the worst difference."""
    wrong = compared = 0
    worst = 0.0
    for line in path.read_text().splitlines()[:count]:
        answer = json.loads(line)
        place = answer["place"]
        before = 0.0
        for fence in answer["fences"]:
            true = distance(place, fence)
            said = fence["distance_m"]
            compared += 1
            if true < 10_000:
                worst = max(worst, abs(said - true))
            # A circle is measured from its centre.
            allowed = tolerance(true + fence.get("radius_m", 0))
            if abs(said - true) > allowed or true < before - 2 * max(allowed, tolerance(before)):
                wrong += 1
                if wrong <= 5:
                    print(f"geographiclib: {true:.4f} m, not {said:.4f} m, from {place}: {fence}")
            before = max(before, true)
    print(f"geographiclib: {compared} distances compared, {wrong} wrong, "
          f"worst {worst:.4f} m within 10 km", flush=True)
    return 1 if wrong or not compared else 0
