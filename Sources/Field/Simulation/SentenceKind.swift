/// The sentences that a simulated receiver sends, in the order in which it sends them.
public enum SentenceKind: String, CaseIterable, Hashable, Sendable {
    case rmc, vtg, gga, gsa, gsv, gst, zda

    /// What most receivers send as delivered.
    public static let usual: Set<SentenceKind> = [.rmc, .vtg, .gga, .gsa, .gsv]
}
