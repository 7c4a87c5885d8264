/// What each layer of the decoder did with its bytes, since the decoder was made.
public struct NMEACounters: Hashable, Sendable {
    // Framing and checksum
    public var bytes = 0
    /// Sentences whose framing, checksum and fields are right, of a known type or not.
    public var accepted = 0
    /// Of these, sentences of a type that says nothing about the own position.
    public var unknownType = 0
    public var checksumMismatch = 0
    public var checksumMissing = 0
    /// Longer than `SentenceFramer.maximumSentenceBytes`.
    public var tooLong = 0
    /// Held a byte outside 0x20 ... 0x7E.
    public var nonPrintable = 0
    /// Another `$` came before the end.
    public var interrupted = 0

    // Binary protocols between the sentences
    public var ubxFrames = 0
    public var rtcmFrames = 0
    /// UBX or RTCM3 headers whose length or checksum did not hold.
    public var falseBinaryHeaders = 0

    // Fields
    /// A field, or the number of fields, broke its rule.
    public var malformed = 0
    /// Positions within 1e-4 degrees of 0 N 0 E, not taken for positions.
    public var nullIsland = 0

    // Epochs
    /// Sentences with the time of the epoch that was just closed.
    public var late = 0
    public var epochs = 0
    public var fixes = 0

    /// Every `$` that is not in `accepted`, those inside binary frames excepted.
    public var rejected: Int {
        checksumMismatch + checksumMissing + tooLong + nonPrintable + interrupted + malformed
    }

    public init() {}
}
