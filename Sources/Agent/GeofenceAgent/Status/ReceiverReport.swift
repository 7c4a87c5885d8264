/// What a source of fixes tells of itself, for `status`.
public struct ReceiverReport: Hashable, Sendable {
    /// The open device; nil while none is, or for a source without one.
    public var device: String?
    public var baud: Int?
    /// Since the start.
    public var bytes: Int
    public var acceptedSentences: Int
    public var rejectedSentences: Int

    public init(
        device: String? = nil, baud: Int? = nil, bytes: Int = 0, acceptedSentences: Int = 0,
        rejectedSentences: Int = 0
    ) {
        self.device = device
        self.baud = baud
        self.bytes = bytes
        self.acceptedSentences = acceptedSentences
        self.rejectedSentences = rejectedSentences
    }
}
