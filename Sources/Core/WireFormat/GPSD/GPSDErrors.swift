import Positioning
import Timekeeping

/// A GST report: the statistics of the pseudoranges' noise (gpsd_json(5)).
public struct GPSDErrors: Hashable, Sendable {
    public var device: String?
    public var time: UTCTime?
    /// Nil where neither the axes nor the ellipse are given.
    public var accuracy: HorizontalAccuracy?

    /// Nil where a member has the wrong type.
    init?(_ members: inout GPSDMembers) {
        device = members.text("device")
        time = members.time("time")
        let bounds = 0.0...1e9
        let latitude = members.number("lat", in: bounds)
        let longitude = members.number("lon", in: bounds)
        let major = members.number("major", in: bounds)
        let minor = members.number("minor", in: bounds)
        guard !members.isMalformed else { return nil }
        accuracy = Self.accuracy(latitude, longitude) ?? Self.accuracy(major, minor)
    }

    private static func accuracy(_ first: Double?, _ second: Double?) -> HorizontalAccuracy? {
        guard let first, let second else { return nil }
        return .standardDeviations(first, second)
    }
}
