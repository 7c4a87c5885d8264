import Timekeeping

/// A SKY report: satellites and dilution of precision, or only one of them (gpsd_json(5)).
public struct GPSDSky: Hashable, Sendable {
    public var device: String?
    /// Nil where it is left out or one of the fillers of receivers without a fix.
    public var hdop: Double?
    public var satellitesUsed: Int?
    public var satellitesInView: Int?
    /// Carrier-to-noise density of the strongest satellite, dB-Hz.
    public var bestSignal: Int?

    private static let greatestCount = 1000

    /// Nil where a member has the wrong type.
    init?(_ members: inout GPSDMembers) {
        device = members.text("device")
        hdop = members.number("hdop", in: 0...1e6).flatMap(Self.dilution)
        let list = members.objects("satellites", limit: Self.greatestCount)
        let count = members.integer("nSat", in: 0...Self.greatestCount)
        let used = members.integer("uSat", in: 0...Self.greatestCount)
        var usedInList = 0
        for bytes in list {
            guard let object = JSONObjectScanner(bytes) else { return nil }
            var satellite = GPSDMembers(object)
            if satellite.flag("used") == true { usedInList += 1 }
            if let signal = satellite.number("ss", in: -1000...1000), signal >= 1 {
                bestSignal = max(bestSignal ?? 0, Int(signal + 0.5))
            }
            guard !satellite.isMalformed else { return nil }
        }
        guard !members.isMalformed else { return nil }
        satellitesUsed = used ?? (list.isEmpty ? nil : usedInList)
        satellitesInView = count ?? (list.isEmpty ? nil : list.count)
    }

    /// Receivers fill the field with 99.99, 50.00 or 0.00 while they have no fix.
    private static func dilution(_ value: Double) -> Double? {
        value > 0 && value < 89.99 && value != 50 ? value : nil
    }
}
