/// The types of sentences that say something about the own position.
enum SentenceKind {
    case rmc, gga, gns, gll
    case vtg, gsa, gsv, gst, gbs, zda
    case pubx, pgrme
    case other

    /// The type by the last three letters of the address: any talker will do, but for `P`, which
    /// makes a sentence proprietary. Those never give a position: gpsd takes the averaged one of
    /// `$PERC,GPavp` for the fix, 18 m off.
    @inline(__always)
    init(_ tag: SentenceTag, isProprietary: Bool) {
        guard !isProprietary else {
            switch tag.characters {
            case Self.code("PUBX"): self = .pubx
            case Self.code("PGRME"): self = .pgrme
            default: self = .other
            }
            return
        }
        switch tag.characters & 0xFF_FFFF {
        case Self.code("GSV"): self = .gsv
        case Self.code("GSA"): self = .gsa
        case Self.code("RMC"): self = .rmc
        case Self.code("GGA"): self = .gga
        case Self.code("VTG"): self = .vtg
        case Self.code("GLL"): self = .gll
        case Self.code("GNS"): self = .gns
        case Self.code("GST"): self = .gst
        case Self.code("GBS"): self = .gbs
        case Self.code("ZDA"): self = .zda
        default: self = .other
        }
    }

    @inline(__always)
    private static func code(_ text: StaticString) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<text.utf8CodeUnitCount {
            value = value << 8 | UInt64(text.utf8Start[index])
        }
        return value
    }
}
