import Geodesy

/// What else is done with a fix and a circle: the engines that others use, for comparison.
public enum SimpleEngine: String, Sendable, CaseIterable {
    /// Inside while the fix is in the circle.
    case pointInCircle = "point in circle"
    /// Inside while the distance to the middle is at most radius and accuracy together.
    case widened = "distance <= radius + accuracy"
    /// In once the circle holds the whole disc of the fix, out once the two are apart.
    case contained = "containment / disjoint"
    /// In after 20 s of fixes inside, out after 20 s of fixes 200 m outside.
    case cushioned = "20 s + 200 m cushion"

    static let cushionSeconds = 20.0
    static let cushionMeters = 200.0

    /// What one engine knows of one circle.
    public struct State: Sendable {
        public private(set) var isInside = false
        private var opposedSince: Double?

        public init() {}

        /// Takes in a fix and says whether the state changed. `signedDistance`: metres from the
        /// edge, positive inside.
        public mutating func ingest(
            _ engine: SimpleEngine, signedDistance: Double, accuracy: Double, at seconds: Double
        ) -> Bool {
            let before = isInside
            switch engine {
            case .pointInCircle: isInside = signedDistance >= 0
            case .widened: isInside = signedDistance >= -accuracy
            case .contained:
                if signedDistance >= accuracy { isInside = true }
                if signedDistance < -accuracy { isInside = false }
            case .cushioned: cushion(signedDistance, at: seconds)
            }
            return isInside != before
        }

        private mutating func cushion(_ signedDistance: Double, at seconds: Double) {
            let isOpposed =
                isInside
                ? signedDistance < -SimpleEngine.cushionMeters : signedDistance >= 0
            guard isOpposed else {
                opposedSince = nil
                return
            }
            let since = opposedSince ?? seconds
            opposedSince = since
            if seconds - since >= SimpleEngine.cushionSeconds {
                isInside.toggle()
                opposedSince = nil
            }
        }
    }
}
