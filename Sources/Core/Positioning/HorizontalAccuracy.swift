/// The radius that holds the true position with a probability of 68 %, and who says so.
public struct HorizontalAccuracy: Hashable, Sendable {
    /// Metres, positive.
    public var meters: Double
    public var provenance: Provenance

    @inlinable
    public init(meters: Double, provenance: Provenance) {
        self.meters = meters
        self.provenance = provenance
    }

    public enum Provenance: String, Hashable, Sendable {
        /// The receiver's own figure: PUBX,00, PGRME, a recording's `accuracy_m`.
        case receiver
        /// Standard deviations per axis: GST, GBS.
        case gst
        /// HDOP times the user-equivalent range error of the fix quality.
        case hdop
        /// Nobody said anything; the configured default.
        case configured
    }
}
