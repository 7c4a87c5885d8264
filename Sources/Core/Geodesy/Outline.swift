/// The edges of a polygon, laid out for the question "how far to the nearest one?".
///
/// Up to 20 km across all edges lie in one plane, touching at the middle. A larger outline is a
/// row of panels, each with a plane of its own, so that every edge is measured in a plane nearby.
struct Outline: Sendable {
    /// Edges that follow each other, with the box around them.
    private struct Panel: Sendable {
        var first: Int
        /// The one after the last.
        var end: Int
        var box: PlaneBox
        /// Metres from the plane's anchor to the farthest end of an edge.
        var reach: Double
    }

    private static let panelSize = 16
    /// Metres across.
    private static let panelMeters = 20_000.0

    private var segments: ContiguousArray<PlaneSegment> = []
    private var panels: ContiguousArray<Panel> = []
    /// One for all, or one for each panel.
    private var frames: ContiguousArray<LocalFrame> = []

    /// `anchor`: of the one plane; nil: a plane for each panel.
    init(pieces: [(from: SurfacePoint, to: SurfacePoint)], anchor: Coordinate?) {
        segments.reserveCapacity(pieces.count)
        if let anchor { frames.append(LocalFrame(anchor: anchor)) }
        var first = 0
        while first < pieces.count {
            var end = first + 1
            while end < pieces.count, end - first < Self.panelSize,
                anchor != nil
                    || pieces[first].from.chordSquared(to: pieces[end].to)
                        < Self.panelMeters * Self.panelMeters
            {
                end += 1
            }
            if anchor == nil {
                frames.append(LocalFrame(anchor: pieces[(first + end) / 2].from.coordinate))
            }
            append(pieces[first..<end])
            first = end
        }
    }

    private mutating func append(_ pieces: ArraySlice<(from: SurfacePoint, to: SurfacePoint)>) {
        guard let frame = frames.last else { return }
        var panel = Panel(first: segments.count, end: segments.count, box: PlaneBox(), reach: 0)
        let anchor = PlanePoint(east: 0, north: 0)
        for piece in pieces {
            let from = frame.project(piece.from)
            let to = frame.project(piece.to)
            guard from != to else { continue }
            segments.append(PlaneSegment(from: from, to: to))
            for point in [from, to] {
                panel.box.extend(to: point)
                panel.reach = max(panel.reach, point.distance(to: anchor))
            }
        }
        panel.end = segments.count
        panels.append(panel)
    }

    var isEmpty: Bool { segments.isEmpty }

    var pieceCount: Int { segments.count }

    private var isFlat: Bool { frames.count == 1 }

    /// The anchor of each panel's plane, and metres from it to the farthest end of an edge.
    func forEachPanel(_ body: (SurfacePoint, Double) -> Void) {
        for (index, panel) in panels.enumerated() {
            body(frames[isFlat ? 0 : index].origin, panel.reach)
        }
    }

    // MARK: - From a point

    /// Metres to the nearest edge.
    func distance(to point: SurfacePoint) -> Double {
        (isFlat ? flatDistanceSquared(to: point) : panelledDistanceSquared(to: point)).squareRoot()
    }

    private func flatDistanceSquared(to point: SurfacePoint) -> Double {
        let place = frames[0].project(point)
        guard panels.count > 1 else { return distanceSquared(from: place, to: panels[0]) }
        var nearest = 0
        var bound = Double.infinity
        for index in panels.indices {
            let squared = panels[index].box.distanceSquared(to: place)
            if squared < bound {
                bound = squared
                nearest = index
            }
        }
        var best = distanceSquared(from: place, to: panels[nearest])
        for index in panels.indices where index != nearest {
            if panels[index].box.distanceSquared(to: place) < best {
                best = min(best, distanceSquared(from: place, to: panels[index]))
            }
        }
        return best
    }

    private func panelledDistanceSquared(to point: SurfacePoint) -> Double {
        guard let nearest = nearestPanel(to: point) else { return .infinity }
        var best = distanceSquared(
            from: frames[nearest].project(point), to: panels[nearest])
        for index in panels.indices where index != nearest {
            // A chord is shorter than its arc, so this bound holds at any distance.
            let reach = best.squareRoot() + panels[index].reach
            guard frames[index].origin.chordSquared(to: point) <= reach * reach else { continue }
            let place = frames[index].project(point)
            if panels[index].box.distanceSquared(to: place) < best {
                best = min(best, distanceSquared(from: place, to: panels[index]))
            }
        }
        return best
    }

    private func nearestPanel(to point: SurfacePoint) -> Int? {
        frames.indices.min {
            frames[$0].origin.chordSquared(to: point) < frames[$1].origin.chordSquared(to: point)
        }
    }

    @inline(__always)
    private func distanceSquared(from place: PlanePoint, to panel: Panel) -> Double {
        var best = Double.infinity
        for index in panel.first..<panel.end {
            best = min(best, segments[index].distanceSquared(to: place))
        }
        return best
    }

    // MARK: - From a segment

    /// Metres from the nearest edge to the nearest point of the way between two places.
    func distance(toWayFrom start: SurfacePoint, to end: SurfacePoint) -> Double {
        var best = Double.infinity
        var frame = frames.first
        var way = frame.map { Self.way($0, start, end) }
        let middle = isFlat ? nil : (start.chordSquared(to: end)).squareRoot()
        for (index, panel) in panels.enumerated() {
            if let length = middle {
                frame = frames[index]
                let reach = best.squareRoot() + panel.reach + length
                if frames[index].origin.chordSquared(to: start) > reach * reach { continue }
                way = Self.way(frames[index], start, end)
            }
            guard let way, panel.box.distanceSquared(to: way) < best else { continue }
            for position in panel.first..<panel.end {
                best = min(best, segments[position].distanceSquared(to: way))
            }
        }
        return best.squareRoot()
    }

    private static func way(
        _ frame: LocalFrame, _ start: SurfacePoint, _ end: SurfacePoint
    ) -> PlaneSegment {
        PlaneSegment(from: frame.project(start), to: frame.project(end))
    }
}
