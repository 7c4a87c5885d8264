import Positioning

/// Whose figure is believed for the accuracy of a position that came through gpsd.
///
/// Where the receiver says nothing, gpsd fills `eph` with HDOP times a constant of its own
/// (libgpsd_core.c: 19 m and 15 m, a quarter of it with corrections), which is no 68 % radius and knows
/// nothing that HDOP does not say. Only an `eph` that is something else came from the receiver.
enum GPSDAccuracy {
    private static let constants = [19.0, 15.0, 4.75, 3.75]
    /// SKY rounds HDOP to two decimals, TPV `eph` to three.
    private static let dilutionRounding = 0.0051
    private static let errorRounding = 0.0011

    /// - Parameters:
    ///   - errors: of a GST report of the epoch.
    ///   - eph: of the TPV report, metres.
    static func accuracy(
        errors: HorizontalAccuracy?, eph: Double?, sky: GPSDSkyState, quality: Quality
    ) -> HorizontalAccuracy? {
        if let errors { return errors }
        guard let hdop = sky.hdop else {
            // Without HDOP gpsd has nothing to make an error from.
            return eph.map { HorizontalAccuracy(meters: $0, provenance: .receiver) }
        }
        if let eph, !isMadeUp(eph, [hdop, sky.previousHDOP].compactMap(\.self)) {
            return HorizontalAccuracy(meters: eph, provenance: .receiver)
        }
        return .dilution(hdop, quality: quality)
    }

    private static func isMadeUp(_ eph: Double, _ dilutions: [Double]) -> Bool {
        dilutions.contains { hdop in
            constants.contains { abs(eph - $0 * hdop) <= $0 * dilutionRounding + errorRounding }
        }
    }
}
