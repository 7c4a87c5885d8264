import Geodesy
import Positioning

/// Validity, quality and accuracy of a closed epoch.
extension Epoch {
    /// Whether the epoch has a position and nothing in it says that it is invalid.
    var hasFix: Bool { coordinate != nil && !isVoid && greatestMode.map { $0 > 1 } != false }

    /// Everything of the epoch but its UTC time.
    var fix: Fix {
        var fix = Fix(uptime: openedAt, source: .nmea)
        fix.hdop = hdop ?? activeHDOP
        let used = used.count
        fix.satellitesUsed = used > 0 ? used : reportedSatellites
        fix.satellitesInView = inView.count
        fix.bestSignal = inView.bestSignal
        guard hasFix else { return fix }
        let quality = quality
        fix.coordinate = coordinate
        fix.quality = quality
        fix.dimension = dimension
        fix.altitudeMeters = altitudeMeters
        fix.horizontalAccuracy = accuracy(quality, hdop: fix.hdop)
        fix.speed = speed ?? velocitySpeed
        if let speed = fix.speed, speed >= Self.minimumSpeedWithCourse {
            fix.course = (course ?? velocityCourse).flatMap(Self.normalized)
        }
        if quality == .simulated { fix.integrityFlags.insert(.simulated) }
        return fix
    }

    /// Below this speed, in m/s, the course is noise.
    private static let minimumSpeedWithCourse = 0.5

    /// 0 ..< 360; nil for what is no course, as the fillers of some receivers.
    private static func normalized(_ course: Double) -> Double? {
        course < 360 ? course : course == 360 ? 0 : nil
    }

    private var dimension: Dimension {
        if let greatestMode { return greatestMode >= 3 ? .threeDimensional : .twoDimensional }
        return altitudeMeters == nil ? .twoDimensional : .threeDimensional
    }

    /// What was not measured wins, whoever says so; then GGA, which is more exact than the letter.
    private var quality: Quality {
        let numbered = qualityNumber.map(Self.quality(number:))
        let lettered = mode?.isTyped == true ? mode?.quality : nil
        for typed in [Quality.simulated, .manual, .estimated]
        where numbered == typed || lettered == typed {
            return typed
        }
        return numbered ?? mode?.quality ?? .autonomous
    }

    private static func quality(number: UInt8) -> Quality {
        switch number {
        case 0: .none
        case 1: .autonomous
        case 2: .differential
        case 3: .pps
        case 4: .rtkFixed
        case 5: .rtkFloat
        case 6: .estimated
        case 7: .manual
        case 8: .simulated
        default: .other(Int(number))
        }
    }

    /// The best of what the receiver says; else from HDOP and what ranges of this quality err by.
    private func accuracy(_ quality: Quality, hdop: Double?) -> HorizontalAccuracy? {
        if let radius = receiverRadius ?? garminRadius {
            return HorizontalAccuracy(meters: radius, provenance: .receiver)
        }
        if let radius = deviationRadius ?? integrityRadius {
            return HorizontalAccuracy(meters: radius, provenance: .gst)
        }
        return hdop.map { .dilution($0, quality: quality) }
    }
}
