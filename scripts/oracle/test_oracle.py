"""The oracle itself, against places whose answer is plain.  Run: .venv/bin/python -m unittest"""
import json
import math
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_events
import fences
import truth
from expected_events import expected_events

START = truth.seconds("2026-01-01T00:00:00Z")
METER = 1 / 111_194.9  # degrees of latitude near 52 N are 111.2 to 111.3 km


def track(points, hertz=10):
    """Samples along (second, metres east, metres north) of 52 N 13 E, straight between them."""
    metre_east = METER / math.cos(math.radians(52))
    samples = []
    for (t0, x0, y0), (t1, x1, y1) in zip(points, points[1:]):
        count = round((t1 - t0) * hertz)
        for index in range(count):
            part = index / count
            samples.append(truth.Sample(
                START + t0 + (t1 - t0) * part, 52 + (y0 + (y1 - y0) * part) * METER,
                13 + (x0 + (x1 - x0) * part) * metre_east, 0.01))
    t, x, y = points[-1]
    samples.append(truth.Sample(START + t, 52 + y * METER, 13 + x * metre_east, 0.01))
    return samples


def circle(radius_m=100, **properties):
    return fences.Fence("c", fences.Circle(52, 13, radius_m), properties)


def told(fence, samples, required=True):
    return [(event.type, round(event.at - START, 1)) for event in expected_events([fence], samples)
            if event.required == required]


class Expectations(unittest.TestCase):
    def test_crossing_through_the_middle(self):
        got = told(circle(), track([(0, -200, 0), (40, 200, 0)]))
        self.assertEqual([kind for kind, _ in got], ["enter", "exit"])
        self.assertAlmostEqual(got[0][1], 10, delta=0.1)
        self.assertAlmostEqual(got[1][1], 30, delta=0.1)

    def test_dwell_after_its_time_and_not_before(self):
        stay = [(0, -200, 0), (20, 0, 0), (100, 0, 0), (120, 200, 0)]
        self.assertEqual([kind for kind, _ in told(circle(dwell_s=60), track(stay))],
                         ["enter", "dwell", "exit"])
        self.assertEqual([kind for kind, _ in told(circle(dwell_s=150), track(stay))],
                         ["enter", "exit"])
        # Inside for 100 s: a dwell of 99 s may be told or not.
        self.assertEqual([k for k, _ in told(circle(dwell_s=99), track(stay), False)], ["dwell"])

    def test_grazing_is_ambiguous(self):
        graze = track([(0, -200, 97), (40, 200, 97)])
        self.assertEqual(told(circle(), graze), [])
        self.assertEqual({k for k, _ in told(circle(), graze, False)}, {"enter", "exit", "pass"})

    def test_too_short_is_ambiguous(self):
        self.assertEqual(told(circle(), track([(0, -200, 0), (5, 200, 0)])), [])

    def test_a_short_trip_over_the_line_does_not_end_the_stay(self):
        samples = track([(0, -200, 0), (20, 0, 0), (30, 98, 0), (31, 103, 0), (32, 98, 0),
                         (60, 0, 0)])
        self.assertEqual(told(circle(), samples), [("enter", 10.0)])

    def test_parked_on_the_line(self):
        samples = track([(0, -200, 0), (20, 0, 0), (25, 102, 0), (85, 102, 0), (95, 200, 0)])
        # Inside for 15 s by the line; 2 m past it for a minute, which may count as inside or not.
        self.assertEqual([kind for kind, _ in told(circle(dwell_s=60), samples)],
                         ["enter", "exit"])
        self.assertEqual([kind for kind, _ in told(circle(dwell_s=60), samples, False)], ["dwell"])
        self.assertEqual(told(circle(dwell_s=90), samples, False), [])

    def test_start_inside_is_initial(self):
        events = expected_events([circle()], track([(0, 0, 0), (30, 200, 0)]))
        self.assertEqual([(e.type, e.initial) for e in events], [("enter", True), ("exit", False)])

    def test_transitions_filter(self):
        samples = track([(0, -200, 0), (40, 200, 0)])
        self.assertEqual([k for k, _ in told(circle(transitions=["exit"]), samples)], ["exit"])

    def test_gap_in_truth_requires_nothing(self):
        samples = [s for s in track([(0, -200, 0), (40, 200, 0)])
                   if not START + 8 < s.time < START + 12]
        self.assertEqual([kind for kind, _ in told(circle(), samples)], ["exit"])


class Geometry(unittest.TestCase):
    def square(self, *rings):
        east = METER / math.cos(math.radians(52))
        return [[[13 + x * east, 52 + y * METER] for x, y in ring] for ring in rings]

    def test_hole_is_outside(self):
        outer = [(-100, -100), (100, -100), (100, 100), (-100, 100), (-100, -100)]
        hole = [(-20, -20), (20, -20), (20, 20), (-20, 20), (-20, -20)]
        for winding in (hole, hole[::-1]):
            area = fences.area("Polygon", self.square(outer, winding))
            self.assertAlmostEqual(area.signed_distance(52, 13), -20, delta=0.1)
            self.assertAlmostEqual(area.signed_distance(52 + 60 * METER, 13), 40, delta=0.1)
            self.assertAlmostEqual(area.signed_distance(52 + 130 * METER, 13), -30, delta=0.1)

    def test_multipolygon_is_the_sum(self):
        one = [(-100, 0), (-50, 0), (-50, 50), (-100, 50), (-100, 0)]
        two = [(50, 0), (100, 0), (100, 50), (50, 50), (50, 0)]
        area = fences.area("MultiPolygon", [self.square(one), self.square(two)])
        east = METER / math.cos(math.radians(52))
        for x in (-75, 75):
            self.assertAlmostEqual(
                area.signed_distance(52 + 25 * METER, 13 + x * east), 25, delta=0.1)
        self.assertLess(area.signed_distance(52 + 25 * METER, 13), -49)

    def test_antimeridian_split_or_not(self):
        whole = [[[179.99, -17], [-179.99, -17], [-179.99, -16.99], [179.99, -16.99],
                  [179.99, -17]]]
        area = fences.area("Polygon", whole)
        self.assertGreater(area.signed_distance(-16.995, 179.9999), 500)
        self.assertGreater(area.signed_distance(-16.995, -179.9999), 500)
        self.assertLess(area.signed_distance(-16.995, -179.98), 0)

    def test_circle_is_geodesic(self):
        # Length of a degree at 52.5 N: 111132.954 - 559.822 cos 2x + 1.175 cos 4x, NGA's series.
        self.assertAlmostEqual(fences.Circle(52, 13, 0).signed_distance(53, 13), -111_276.83,
                               delta=0.05)

    def test_files(self):
        feature = {"type": "Feature", "id": "a", "properties": {"radius_m": 50, "dwell_s": 20},
                   "geometry": {"type": "Point", "coordinates": [13, 52]}}
        wire = {"id": 7, "type": "circle", "center": {"lat": 52, "lon": 13}, "radius_m": 50}
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "f.json")
            for document, names, dwell in (
                    ({"type": "FeatureCollection", "features": [feature]}, ["a"], 20),
                    ({"fences": [wire]}, ["7"], 300), ([wire], ["7"], 300)):
                path.write_text(json.dumps(document))
                loaded = fences.load(path, 300)
                self.assertEqual([fence.id for fence in loaded], names)
                self.assertEqual(loaded[0].dwell_s, dwell)
                self.assertAlmostEqual(loaded[0].signed_distance(52, 13), 50)


def told_rows(*rows):
    """Events as the server lists them: (type, second), seq from 1, device "d"."""
    return [check_events.Told({
        "device_id": "d", "client_event_id": f"id-{seq}", "queue_epoch": "e", "seq": seq,
        "boot_id": "b", "type": kind, "fence_id": "c", "visit_id": None, "initial": False,
        "occurred_at": truth.text(START + at), "detected_at": truth.text(START + at + 0.5),
        "mono_ms": round(at * 1000)}, seq) for seq, (kind, at) in enumerate(rows, 1)]


class Checks(unittest.TestCase):
    """Each kind of difference is found, and a right answer has none."""

    RIGHT = [("enter", 10), ("dwell", 70), ("exit", 110)]
    VISIT = {"visit_id": "v", "device_id": "d", "fence_id": "c",
             "started_at": truth.text(START + 10), "ended_at": truth.text(START + 110),
             "duration_s": 100.0}

    def differences(self, told, visits=None, blind=()):
        samples = track([(0, -200, 0), (20, 0, 0), (100, 0, 0), (120, 200, 0)])
        expected = expected_events([circle(dwell_s=60)], samples, blind)
        _, problems = check_events.check(
            expected, told, [dict(self.VISIT)] if visits is None else visits, 3, START)
        return [problem.what for problem in problems]

    def test_right_answer(self):
        self.assertEqual(self.differences(told_rows(*self.RIGHT)), [])

    def test_missing(self):
        self.assertIn("MISSING", self.differences(told_rows(("enter", 10), ("dwell", 70))))

    def test_late_is_missing_and_spurious(self):
        got = self.differences(told_rows(("enter", 10), ("dwell", 70), ("exit", 114)))
        self.assertTrue({"MISSING", "SPURIOUS"} <= set(got))

    def test_twice(self):
        told = told_rows(*self.RIGHT)
        self.assertIn("duplicate", self.differences(told + told[:1]))
        self.assertIn("SPURIOUS", self.differences(told_rows(*self.RIGHT, ("exit", 111))))

    def test_spurious_pair(self):
        rows = [("enter", 10), ("exit", 40), ("enter", 45), ("dwell", 70), ("exit", 110)]
        self.assertEqual(self.differences(told_rows(*rows)).count("SPURIOUS"), 2)

    def test_gap_and_order(self):
        told = told_rows(*self.RIGHT)
        told[2].seq = 4
        self.assertIn("gap", self.differences(told))
        told[2].seq, told[0].seq = 1, 3
        self.assertIn("order", self.differences(told))

    def test_initial_is_for_the_start(self):
        told = told_rows(*self.RIGHT)
        told[0].initial = True
        self.assertEqual(self.differences(told), [])
        late = track([(0, -200, 0), (30, -200, 0), (50, 0, 0), (130, 0, 0), (150, 200, 0)])
        told = told_rows(("enter", 40), ("dwell", 100), ("exit", 140))
        told[0].initial = True
        _, problems = check_events.check(
            expected_events([circle(dwell_s=60)], late), told, None, 3, START)
        self.assertEqual([problem.what for problem in problems], ["initial"])

    def test_second_epoch(self):
        told = told_rows(*self.RIGHT)
        told[2].epoch, told[2].seq = "f", 1
        self.assertIn("epochs", self.differences(told))

    def test_visits(self):
        told = told_rows(*self.RIGHT)
        self.assertIn("visit", self.differences(told, []))
        self.assertIn("visit", self.differences(told, [self.VISIT, dict(self.VISIT, visit_id="w")]))
        for key, value in (("started_at", truth.text(START + 15)), ("ended_at", None),
                           ("duration_s", 90)):
            self.assertIn("visit", self.differences(told, [self.VISIT | {key: value}]))

    def test_loss_is_a_difference(self):
        told = told_rows(*self.RIGHT, ("queue_evicted", 111))
        self.assertIn("device event", self.differences(told))

    def test_blind_times_move_what_is_allowed(self):
        blind = [(START + 9, START + 14)]
        late = told_rows(("enter", 19), ("dwell", 79), ("exit", 110))
        visit = self.VISIT | {"started_at": truth.text(START + 19), "duration_s": 91}
        self.assertIn("MISSING", self.differences(late, [visit]))
        self.assertEqual(self.differences(late, [visit], blind), [])
        self.assertIn("MISSING", self.differences(
            told_rows(("enter", 25), ("dwell", 85), ("exit", 110)), [visit], blind))

    def test_a_stay_that_nobody_could_see_is_not_required(self):
        blind = [(START + 5, START + 119)]
        self.assertEqual(self.differences([], [], blind), [])


if __name__ == "__main__":
    unittest.main()
