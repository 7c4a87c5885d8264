import Testing

@testable import NMEA

@Suite("Sentences are found in any stream")
struct FramerTests {
    static let good = line(Sample.gga("101010"))
    /// Without its line's end, which is one Character.
    static let body = String(good.dropLast())

    static let lineForms: [String] = [
        good, "\(body)\n", "\(body)\r\r\n", "\(body)\r", body, "NMEA,\(body),1617033600000\r\n",
        "2021-03-11T10:10:10.000Z \(body)\r\n", "\\s:r1,c:120*5A\\\(good)", "+GPSRD:\(good)",
        "\n\n\r\n\(good)", "\u{FEFF}\(good)", "\(body) \r\n", "!garbage\t\(good)",
    ]

    @Test("a line may begin and end in many ways", arguments: lineForms)
    func form(text: String) {
        let decoded = decode(Array(text.utf8))
        #expect(decoded.counters.accepted == 1)
        #expect(decoded.counters.rejected == 0)
        #expect(decoded.counters.fixes == 1)
    }

    @Test("a sentence that lost its line's end still counts when the next one begins")
    func joinedSentences() {
        let decoded = decode(Array((Self.body + line(Sample.gga("101011"))).utf8))
        #expect(decoded.counters.accepted == 2)
        #expect(decoded.counters.fixes == 2)
    }

    /// A broken line, and what the counters call it.
    struct Broken: Sendable {
        let text: String
        let reason: @Sendable (NMEACounters) -> Int

        init(_ text: String, _ reason: @escaping @Sendable (NMEACounters) -> Int) {
            self.text = text
            self.reason = reason
        }
    }

    static let brokenLines: [Broken] = [
        Broken("\(body.replacing("4730", with: "4731"))\r\n") { $0.checksumMismatch },
        Broken("\(body.dropLast())\r\n") { $0.checksumMismatch },
        Broken("\(body)0\r\n") { $0.checksumMismatch },
        Broken("\(body.dropLast(2))G0\r\n") { $0.checksumMismatch },
        Broken("\(body.dropLast(3))\r\n") { $0.checksumMissing },
        Broken("$\r\n") { $0.checksumMissing },
        Broken("$*00\r\n") { $0.checksumMismatch },
        Broken("$GPTXT,\u{1}*00\r\n") { $0.nonPrintable },
        Broken("$GPTXT,\u{7F}*00\r\n") { $0.nonPrintable },
        Broken("$GPTXT,\u{E9}*00\r\n") { $0.nonPrintable },
        Broken("$GPGGA,1010$*\n") { $0.interrupted },
        Broken(line("GPTXT," + String(repeating: "x", count: 247))) { $0.tooLong },
    ]

    @Test("what is broken is rejected under its name", arguments: brokenLines)
    func broken(line: Broken) {
        let counters = decode(Array(line.text.utf8)).counters
        #expect(counters.accepted == 0)
        #expect(line.reason(counters) == 1, "\(line.text)")
    }

    @Test("256 bytes from the dollar on are allowed")
    func longest() {
        let counters = decode(Array(line("GPTXT," + String(repeating: "x", count: 246)).utf8))
            .counters
        #expect(counters.accepted == 1)
    }

    @Test("what follows a too long line is found again")
    func afterTooLong() {
        let text = "$" + String(repeating: "x", count: 1000) + Self.good
        let counters = decode(Array(text.utf8)).counters
        #expect(counters.tooLong == 1)
        #expect(counters.fixes == 1)
    }

    @Test("checksums are in any case, and the last star counts")
    func checksums() {
        #expect(decode(Array(Self.good.lowercased().utf8)).counters.accepted == 0)
        let lower = Self.body.dropLast(2) + Self.body.suffix(2).lowercased() + "\n"
        #expect(decode(Array(lower.utf8)).counters.accepted == 1)
        #expect(decode("GPTXT,a*b").counters.accepted == 1)
    }

    @Test("a missing checksum is taken only where the source allows it, a wrong one never")
    func missingChecksum() {
        let bare = Array("\(Self.body.dropLast(3))\r\n".utf8)
        let wrong = Array("\(Self.body.dropLast(2))00\r\n".utf8)
        #expect(decode(bare).counters.checksumMissing == 1)
        let lenient = NMEADecoder.Configuration(allowsMissingChecksum: true, isFile: true)
        #expect(decode(pieces: [bare[...]], configuration: lenient).counters.fixes == 1)
        #expect(decode(pieces: [bare.dropLast(2)], configuration: lenient).counters.fixes == 1)
        #expect(decode(pieces: [wrong[...]], configuration: lenient).counters.accepted == 0)
    }

    @Test("any talker will do, and no proprietary sentence gives a position")
    func talkers() {
        for talker in ["GP", "GN", "EC", "II", "XX", "G1"] {
            #expect(decode(Sample.gga("101010", talker: talker)).counters.fixes == 1)
        }
        #expect(decode(Sample.gga("101010", talker: "PQ")).counters.unknownType == 1)
        #expect(decode("PERC,GPavp,101010,4730.0,N,01115.0,E").counters.epochs == 0)
    }
}
