import Geodesy
import Positioning
import Timekeeping

/// A TPV report: time, position, velocity (gpsd_json(5)).
public struct GPSDPosition: Hashable, Sendable {
    /// The receiver, as gpsd names it; nil where it does not.
    public var device: String?
    /// 0 not known, 1 no fix, 2 without height, 3 with height; 0 where it is absent.
    public var mode: Int
    public var time: UTCTime?
    /// Nil where either part is absent, not a number, or not on Earth.
    public var coordinate: Coordinate?
    public var quality: Quality
    /// Metres above mean sea level.
    public var altitudeMeters: Double?
    /// Metres per second, not negative.
    public var speed: Double?
    /// Degrees clockwise from true north, 0 ..< 360.
    public var course: Double?
    /// gpsd's estimated horizontal error, metres, positive; often not the receiver's (`GPSDAccuracy`).
    public var errorMeters: Double?

    /// Why a report that claims a fix has no position that can be used; nil where it has one.
    public enum Defect: Hashable, Sendable {
        case missing
        case outOfRange
        case nullIsland
    }
    public var defect: Defect?

    /// Half the side of the square around 0 N 0 E that no receiver means, degrees.
    private static let nullIslandDegrees = 1e-4

    /// Nil where a member has the wrong type.
    init?(_ members: inout GPSDMembers) {
        device = members.text("device")
        mode = members.integer("mode", in: 0...3) ?? 0
        time = members.time("time")
        let latitude = members.number("lat")
        let longitude = members.number("lon")
        quality = Self.quality(status: members.integer("status", in: 0...1000))
        // `alt` is what releases before 3.20 have, and there it is the height above mean sea level.
        let altitude = members.number("alt")
        altitudeMeters = members.number("altMSL") ?? altitude
        speed = members.number("speed", in: 0...100_000)
        course = members.number("track", in: 0...360).map { $0 == 360 ? 0 : $0 }
        errorMeters = members.number("eph", in: 0...1e9).flatMap { $0 > 0 ? $0 : nil }
        guard !members.isMalformed else { return nil }
        place(latitude, longitude)
    }

    /// Whether it has a position that can be used.
    public var hasFix: Bool { mode >= 2 && coordinate != nil }

    /// How much it says; of several reports of one epoch the one that says most counts.
    var completeness: Int {
        let members = [
            altitudeMeters != nil, speed != nil, course != nil, errorMeters != nil, time != nil,
        ]
        return (hasFix ? 1000 : 0) + mode * 10 + members.count { $0 }
    }

    private mutating func place(_ latitude: Double?, _ longitude: Double?) {
        guard mode >= 2 else { return }
        guard let latitude, let longitude else {
            defect = .missing
            return
        }
        guard let place = Coordinate(latitude: latitude, longitude: longitude) else {
            defect = .outOfRange
            return
        }
        if abs(latitude) < Self.nullIslandDegrees, abs(longitude) < Self.nullIslandDegrees {
            defect = .nullIsland
        } else {
            coordinate = place
        }
    }

    /// `status`, which gpsd leaves out for ordinary fixes. GNSS with dead reckoning (6) is a fix of
    /// satellites; the surveyed and the manual position share a number (7), as in GGA.
    private static func quality(status: Int?) -> Quality {
        switch status {
        case nil, 0, 1, 6: .autonomous
        case 2: .differential
        case 3: .rtkFixed
        case 4: .rtkFloat
        case 5: .estimated
        case 7: .manual
        case 8: .simulated
        case 9: .pps
        case let status?: .other(status)
        }
    }
}
