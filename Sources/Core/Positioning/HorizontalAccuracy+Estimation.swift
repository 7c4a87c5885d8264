/// How a radius follows from what receivers say instead of one.
extension HorizontalAccuracy {
    /// A 68 % radius over the root of the sum of the squares of the standard deviations of two axes.
    public static let radiusPerStandardDeviation = 1.07

    /// From the standard deviations of two axes at right angles, metres (GST, GBS); nil where both
    /// are 0, which nobody measured.
    public static func standardDeviations(_ first: Double, _ second: Double) -> HorizontalAccuracy?
    {
        let squares = first * first + second * second
        guard squares > 0, squares.isFinite else { return nil }
        return HorizontalAccuracy(
            meters: squares.squareRoot() * radiusPerStandardDeviation, provenance: .gst)
    }

    /// From the horizontal dilution of precision and what ranges of this quality err by.
    public static func dilution(_ hdop: Double, quality: Quality) -> HorizontalAccuracy {
        HorizontalAccuracy(
            meters: hdop * rangeErrorMeters(quality) * radiusPerStandardDeviation,
            provenance: .hdop)
    }

    /// User-equivalent range error, metres.
    private static func rangeErrorMeters(_ quality: Quality) -> Double {
        switch quality {
        case .differential: 3
        case .rtkFloat: 0.5
        case .rtkFixed: 0.05
        default: 5
        }
    }
}
