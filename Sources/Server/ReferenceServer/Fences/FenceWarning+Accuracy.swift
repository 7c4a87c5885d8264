import Geodesy

extension ErrorCircle {
    /// Positions of which the radius that holds 95 % of them says something.
    static let leastPositions = 20
    /// Metres; an accuracy of a position beyond it says nothing of a fence.
    static let greatestAccuracyMeters = 100_000.0

    /// R95 in metres and the number of positions; nil: there are too few.
    static func warned(by radii: [Double]) -> (radiusMeters: Double, positions: Int)? {
        guard radii.count >= leastPositions,
            let radius = radiusMeters(holding: 0.95, of: radii)
        else { return nil }
        return (radius, radii.count)
    }
}

extension FenceReading.Warning {
    /// `errors`: of the positions with which events came from it. Nil: its radius is at least twice
    /// their R95, or nothing is known of that.
    init?(of draft: FenceDraft, beside errors: (radiusMeters: Double, positions: Int)?) {
        let radius = draft.shape.enclosingCircle.radiusMeters
        guard let errors, radius < 2 * errors.radiusMeters else { return nil }
        self.init(
            fenceID: draft.id, code: "radius_below_accuracy",
            detail: "a radius of \(Self.meters(radius.rounded())) m is less than twice the "
                + "\(Self.meters(errors.radiusMeters.rounded(.up))) m around the truth that hold 95 % of the "
                + "positions there, by the accuracy of the \(errors.positions) that came with events"
        )
    }

    /// Whatever came: what has no whole number is shown as it is.
    private static func meters(_ meters: Double) -> String {
        Int(exactly: meters).map { String($0) } ?? String(meters)
    }
}
