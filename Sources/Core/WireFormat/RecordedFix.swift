import Positioning

/// The payload of a `fix` record.
struct RecordedFix: Encodable {
    let fix: Fix

    init(_ fix: Fix) {
        self.fix = fix
    }

    enum CodingKeys: String, CodingKey {
        case time, lat, lon, dimension, quality, hdop, satellites, source, flags
        case untrustedTime = "time_untrusted"
        case accuracyMeters = "accuracy_m"
        case accuracySource = "accuracy_source"
        case altitudeMeters = "altitude_m"
        case speed = "speed_mps"
        case course = "course_deg"
        case qualityNumber = "quality_number"
    }

    /// What a reader of the plain format need not know stands in fields of its own, and only where
    /// it is not what such a reader takes for granted.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let time = fix.time.map(WireTime.init)
        try container.encode(fix.isTimeTrusted ? time : nil, forKey: .time)
        if !fix.isTimeTrusted { try container.encodeIfPresent(time, forKey: .untrustedTime) }
        try container.encode(fix.coordinate?.latitude, forKey: .lat)
        try container.encode(fix.coordinate?.longitude, forKey: .lon)
        try container.encode(fix.horizontalAccuracy?.meters, forKey: .accuracyMeters)
        if let provenance = fix.horizontalAccuracy?.provenance, provenance != .receiver {
            try container.encode(provenance.rawValue, forKey: .accuracySource)
        }
        try container.encodeIfPresent(fix.altitudeMeters, forKey: .altitudeMeters)
        try container.encode(fix.speed, forKey: .speed)
        try container.encodeIfPresent(fix.course, forKey: .course)
        try container.encodeIfPresent(fix.hdop, forKey: .hdop)
        try container.encodeIfPresent(fix.satellitesUsed, forKey: .satellites)
        try container.encode(fix.dimension.rawValue, forKey: .dimension)
        try container.encode(fix.quality.name, forKey: .quality)
        if case .other(let number) = fix.quality {
            try container.encode(number, forKey: .qualityNumber)
        }
        if fix.source != .recording { try container.encode(fix.source.rawValue, forKey: .source) }
        if !fix.integrityFlags.isEmpty {
            try container.encode(fix.integrityFlags.rawValue, forKey: .flags)
        }
    }
}
