extension Outline {
    /// What an index may know of it.
    ///
    /// A distance to an edge is measured in a panel's plane, so it is never less than the distance
    /// to the plane's anchor without the panel's reach: that holds at any distance, however much a
    /// plane distorts. What lies inside is within the edges.
    func ground(_ center: Coordinate, toleranceMeters: Double) -> Ground {
        let middle = SurfaceNormal(SurfacePoint(center).space)
        var angle = 0.0
        forEachPanel { anchor, reachMeters in
            let chordSquared = SurfaceNormal(anchor.space).chordSquared(to: middle)
            angle = max(
                angle,
                SurfaceNormal.angle(chordSquared: chordSquared) * Self.arcShare + reachMeters
                    / SurfaceNormal.metersPerRadian)
        }
        // A place counts as on the edge up to twice the tolerance away from it.
        return Ground(
            center: center,
            reachMeters: angle * SurfaceNormal.metersPerRadian + 4 * toleranceMeters + 1,
            isOutline: true)
    }

    /// By more than `SurfaceNormal.angle` may take a chord for its arc.
    private static let arcShare = 1.000_2
}
