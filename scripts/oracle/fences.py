"""Fences as the wire or GeoJSON give them, measured with geographiclib and shapely.

Nothing here is shared with the Swift code: that is the point of it.
"""
import json
import math

from geographiclib.geodesic import Geodesic
from shapely.geometry import Point, Polygon
from shapely.ops import unary_union

WGS84 = Geodesic.WGS84
# Edges are straight in longitude and latitude; after this length the projection could bend them.
LONGEST_EDGE_M = 50.0


class Fence:
    """A fence with the signed distance of any place, metres, positive inside."""

    def __init__(self, identifier, shape, properties):
        self.id = str(identifier)
        self.dwell_s = properties.get("dwell_s")
        self.transitions = set(properties.get("transitions") or ["enter", "exit", "dwell", "pass"])
        self.initial_enter = properties.get("initial_enter")
        self._shape = shape

    def signed_distance(self, latitude, longitude):
        return self._shape.signed_distance(latitude, longitude)


class Circle:
    def __init__(self, latitude, longitude, radius_m):
        self.latitude, self.longitude, self.radius_m = latitude, longitude, radius_m

    def signed_distance(self, latitude, longitude):
        line = WGS84.Inverse(self.latitude, self.longitude, latitude, longitude, Geodesic.DISTANCE)
        return self.radius_m - line["s12"]


class Area:
    """Polygons with holes, on the azimuthal equidistant plane around their first position."""

    def __init__(self, polygons):
        self.origin = polygons[0][0][0]
        planes = []
        for rings in polygons:
            outer, *holes = [self._plane_ring(ring) for ring in rings]
            # Even-odd over all rings, whatever their winding.
            area = Polygon(outer).buffer(0)
            for hole in holes:
                area = area.symmetric_difference(Polygon(hole).buffer(0))
            planes.append(area)
        self.area = unary_union(planes)
        self.edges = self.area.boundary

    def _plane_ring(self, ring):
        out = []
        for (lon, lat), (next_lon, next_lat) in zip(ring, ring[1:]):
            next_lon = lon + wrapped(next_lon - lon)
            length = WGS84.Inverse(lat, lon, next_lat, next_lon, Geodesic.DISTANCE)["s12"]
            pieces = max(1, math.ceil(length / LONGEST_EDGE_M))
            for index in range(pieces):
                part = index / pieces
                out.append(self._plane(lat + (next_lat - lat) * part, lon + (next_lon - lon) * part))
        return out

    def _plane(self, latitude, longitude):
        lon, lat = self.origin
        line = WGS84.Inverse(lat, lon, latitude, longitude, Geodesic.DISTANCE | Geodesic.AZIMUTH)
        angle = math.radians(line["azi1"])
        return line["s12"] * math.sin(angle), line["s12"] * math.cos(angle)

    def signed_distance(self, latitude, longitude):
        place = Point(self._plane(latitude, longitude))
        distance = self.edges.distance(place)
        return distance if self.area.covers(place) else -distance


def wrapped(degrees):
    return (degrees + 180) % 360 - 180


def from_feature(feature):
    properties = feature.get("properties") or {}
    identifier = feature.get("id", properties.get("id"))
    if identifier is None:
        raise ValueError("a feature without id")
    geometry = feature["geometry"]
    kind, coordinates = geometry["type"], geometry["coordinates"]
    if kind == "Point":
        radius = properties.get("radius_m", properties.get("radius"))
        shape = Circle(coordinates[1], coordinates[0], float(radius))
    else:
        shape = area(kind, coordinates)
    return Fence(identifier, shape, properties)


def from_wire(wire):
    if wire["type"] == "circle":
        shape = Circle(wire["center"]["lat"], wire["center"]["lon"], float(wire["radius_m"]))
    else:
        shape = area(wire["geometry"]["type"], wire["geometry"]["coordinates"])
    return Fence(wire["id"], shape, wire)


def area(kind, coordinates):
    polygons = {"Polygon": [coordinates], "MultiPolygon": coordinates}.get(kind)
    if polygons is None:
        raise ValueError(f"'{kind}' is no geometry of a fence")
    return Area([[[position[:2] for position in ring] for ring in rings] for rings in polygons])


def load(path, default_dwell_s=None):
    """The fences of a file: a FeatureCollection, a Feature, wire JSON or a list of wire fences.

    `default_dwell_s` is what a fence without `dwell_s` has: 300 once a server has taken it in.
    """
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    if isinstance(document, dict) and document.get("type") == "FeatureCollection":
        fences = [from_feature(feature) for feature in document["features"]]
    elif isinstance(document, dict) and document.get("type") == "Feature":
        fences = [from_feature(document)]
    else:
        listed = document["fences"] if isinstance(document, dict) else document
        fences = [from_wire(wire) for wire in listed]
    identifiers = [fence.id for fence in fences]
    if len(set(identifiers)) != len(identifiers):
        raise ValueError(f"{path}: an id stands twice")
    for fence in fences:
        if fence.dwell_s is None:
            fence.dwell_s = default_dwell_s
    return fences
