#!/usr/bin/env python3
"""Writes Tests/Fixtures/geodesy/*.json: distances and polygon distances with the right answer.

    pip install geographiclib shapely
    python3 scripts/vectors/geodesy.py

The truth is Karney's geodesic (geographiclib). A polygon is seen from its query point: every
position goes into the azimuthal equidistant projection centred there, in which distances from the
centre are exact; shapely measures to the nearest edge. Edges are straight in lon/lat.
"""
import json
import math
import os
import random

from geographiclib.geodesic import Geodesic
from shapely.geometry import LineString, Point, Polygon

WGS84 = Geodesic.WGS84
FOLDER = os.path.join(os.path.dirname(__file__), "..", "..", "Tests", "Fixtures", "geodesy")


def wrapped(longitude):
    return math.remainder(longitude, 360)


def move(latitude, longitude, azimuth, meters):
    end = WGS84.Direct(latitude, longitude, azimuth, meters)
    return round(end["lat2"], 9), round(wrapped(end["lon2"]), 9)


def meters(one, other):
    return WGS84.Inverse(one[0], one[1], other[0], other[1])["s12"]


def distances(random_source):
    rows = []
    for latitude in [0, 0.5, 10, 23.4, 35, 45, 51.5, 60, 70, 80, 84.9, 85, 87, 89, 89.99]:
        for length in [0.1, 10, 1000, 10_000, 50_000, 100_000, 500_000, 1_000_000]:
            for _ in range(4):
                start = (
                    latitude * random_source.choice([-1, 1]),
                    round(random_source.choice([180, random_source.uniform(-180, 180)]), 9))
                end = move(*start, random_source.uniform(0, 360), length)
                rows.append([*start, *end, round(meters(start, end), 6)])
    for _ in range(200):
        start, end = [
            (round(math.degrees(math.asin(random_source.uniform(-1, 1))), 6),
             round(random_source.uniform(-180, 180), 6)) for _ in range(2)]
        rows.append([*start, *end, round(meters(start, end), 3)])
    return rows


def circles(random_source):
    rows = []
    for latitude in [0, 15, 30, 45, 60, 75, 85, 89]:
        for radius in [10, 100, 1000, 10_000, 50_000, 100_000]:
            for share in [0, 0.5, 0.999, 1.001, 1.1, 3]:
                center = (latitude, round(random_source.uniform(-180, 180), 9))
                place = move(*center, random_source.uniform(0, 360), radius * share)
                rows.append(
                    [*center, radius, *place, round(radius - meters(center, place), 6)])
    return rows


def star(random_source, latitude, longitude, size, count):
    """A ring that winds once around its middle, as (lon, lat) on one line of longitudes."""
    positions = []
    angles = sorted(random_source.uniform(0, 360) for _ in range(count))
    for angle in angles:
        place = move(latitude, longitude, angle, size * random_source.uniform(0.4, 1))
        positions.append((longitude + wrapped(place[1] - longitude), place[0]))
    positions.append(positions[0])
    return positions


def cut(ring, step):
    """The ring's edges cut in lon/lat into pieces of at most `step` metres."""
    for (x1, y1), (x2, y2) in zip(ring, ring[1:]):
        count = max(1, math.ceil(meters((y1, wrapped(x1)), (y2, wrapped(x2))) / step))
        points = [(x1 + (x2 - x1) * i / count, y1 + (y2 - y1) * i / count)
                  for i in range(count + 1)]
        yield from zip(points, points[1:])


def seen(query, position):
    line = WGS84.Inverse(query[0], query[1], position[1], wrapped(position[0]))
    azimuth = math.radians(line["azi1"])
    return line["s12"] * math.sin(azimuth), line["s12"] * math.cos(azimuth)


def signed_distance(rings, query):
    center = Point(0, 0)
    pieces = []
    for ring in rings:
        for one, other in cut(ring, 2000):
            line = LineString([seen(query, one), seen(query, other)])
            pieces.append((line.distance(center), one, other))
    # A piece bows away from its chord by less than 10 m even at 85 degrees: look closely at all
    # that may be nearest.
    bound = min(piece[0] for piece in pieces) + 10
    best = math.inf
    for distance, (x1, y1), (x2, y2) in pieces:
        if distance > bound:
            continue
        points = [seen(query, (x1 + (x2 - x1) * i / 100, y1 + (y2 - y1) * i / 100))
                  for i in range(101)]
        best = min(best, LineString(points).distance(center))
    middle = rings[0][0][0]
    plane = Polygon(rings[0], rings[1:])
    inside = plane.contains(Point(middle + wrapped(query[1] - middle), query[0]))
    return best if inside else -best


def area(rings, size):
    def of(ring):
        polygon = WGS84.Polygon()
        for one, _ in cut(ring, size / 50):
            polygon.AddPoint(one[1], wrapped(one[0]))
        return abs(polygon.Compute()[2])
    return of(rings[0]) - sum(of(ring) for ring in rings[1:])


def polygons(random_source):
    result = []
    sizes = [30, 100, 500, 2000, 8000, 14_000, 25_000, 80_000, 240_000]
    while len(result) < 100:
        size = sizes[len(result) % len(sizes)]
        latitude = random_source.uniform(-85, 85)
        if size > 50_000:
            latitude *= 0.8
        longitude = random_source.choice([180, random_source.uniform(-179, 179)])
        rings = [star(random_source, latitude, longitude, size, random_source.randint(3, 24))]
        if random_source.random() < 0.4:
            rings.append(star(random_source, latitude, longitude, size * 0.2, 5))
        plane = Polygon(rings[0], rings[1:])
        if not plane.is_valid:
            continue
        queries = []
        for index in range(10):
            if index < 5:
                away = min(size * 1.5, size + 10_000) * random_source.random()
                query = move(latitude, wrapped(longitude), random_source.uniform(0, 360), away)
            else:
                ring = random_source.choice(rings)
                at = random_source.randrange(len(ring) - 1)
                share = random_source.random()
                x = ring[at][0] + share * (ring[at + 1][0] - ring[at][0])
                y = ring[at][1] + share * (ring[at + 1][1] - ring[at][1])
                query = move(
                    y, wrapped(x), random_source.uniform(0, 360),
                    10 ** random_source.uniform(-1, 4))
            queries.append([*query, round(signed_distance(rings, query), 5)])
        result.append({
            "rings": [[[round(wrapped(x), 9), y] for x, y in ring] for ring in rings],
            "area": round(area(rings, size), 2),
            "queries": queries,
        })
    return result


def write(name, rows):
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows))
        file.write("\n]\n")


def main():
    os.makedirs(FOLDER, exist_ok=True)
    write("distances.json", distances(random.Random(1)))
    write("circles.json", circles(random.Random(2)))
    write("polygons.json", polygons(random.Random(3)))


if __name__ == "__main__":
    main()
