/// The satellites that the GSA sentences of one navigation system name.
///
/// Numbers: GPS 1-32, SBAS 33-64 and 120-158, GLONASS 65-96, QZSS 193-202, BeiDou 201-237 and
/// 401-437, Galileo 301-336, and 1-64 of any system where GSA names the system (NMEA 4.1).
struct SatelliteSet {
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) =
        (0, 0, 0, 0, 0, 0, 0, 0)

    /// Numbers from 512 on share the places of smaller ones.
    @inline(__always)
    mutating func insert(_ number: Int) {
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: number & 63)
        switch number >> 6 & 7 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        case 3: words.3 |= bit
        case 4: words.4 |= bit
        case 5: words.5 |= bit
        case 6: words.6 |= bit
        default: words.7 |= bit
        }
    }

    @inline(__always)
    mutating func formUnion(_ other: SatelliteSet) {
        words.0 |= other.words.0
        words.1 |= other.words.1
        words.2 |= other.words.2
        words.3 |= other.words.3
        words.4 |= other.words.4
        words.5 |= other.words.5
        words.6 |= other.words.6
        words.7 |= other.words.7
    }

    private var isEmpty: Bool {
        words.0 | words.1 | words.2 | words.3 | words.4 | words.5 | words.6 | words.7 == 0
    }

    var count: Int {
        guard !isEmpty else { return 0 }
        return words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount
            + words.3.nonzeroBitCount + words.4.nonzeroBitCount + words.5.nonzeroBitCount
            + words.6.nonzeroBitCount + words.7.nonzeroBitCount
    }
}
