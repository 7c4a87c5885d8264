import TestSupport
import Testing

@testable import Timekeeping

@Suite("TZif files")
struct ZoneFileTests {
    /// A file of one block, or of the two that versions from 2 on have.
    static func file(
        version: Character = "2", transitions: [Int64] = [1000], indices: [UInt8] = [1],
        offsets: [Int32] = [0, 3600], leap: UInt32 = 0, footer: String? = "\n\n"
    ) -> [UInt8] {
        func block(bytes: Int) -> [UInt8] {
            var block = Array("TZif".utf8) + Array(String(version).utf8)
            if version == "1" { block[4] = 0 }
            block += [UInt8](repeating: 0, count: 15)
            let counts: [UInt32] = [
                0, 0, leap, UInt32(transitions.count), UInt32(offsets.count), 4,
            ]
            for count in counts { block += big(UInt64(count), 4) }
            for time in transitions { block += big(UInt64(bitPattern: time), bytes) }
            block += indices
            for offset in offsets { block += big(UInt64(UInt32(bitPattern: offset)), 4) + [0, 0] }
            block += Array("ABC\0".utf8)
            block += [UInt8](repeating: 0, count: Int(min(leap, 10)) * (bytes + 4))
            return block
        }
        guard version != "1" else { return block(bytes: 4) }
        return block(bytes: 4) + block(bytes: 8) + Array((footer ?? "").utf8)
    }

    static func big(_ value: UInt64, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (UInt64($0) * 8)) }
    }

    @Test("every version is read", arguments: ["1", "2", "3", "4", "5"] as [Character])
    func versions(_ version: Character) throws {
        let rules = try TimeZoneRules(tzif: Self.file(version: version))
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: 999_999)) == 0)
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: 1_000_000)) == 3600)
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: .max)) == 3600)
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: .min)) == 0)
    }

    @Test("a footer holds from the last transition on, and alone where there is none")
    func footer() throws {
        let footed = Self.file(footer: "\nXYZ-5\n")
        let rules = try TimeZoneRules(tzif: footed)
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: 999_000)) == 0)
        #expect(rules.offsetSeconds(at: UTCTime(millisecondsSince1970: 1_000_000)) == 18_000)
        let bare = Self.file(transitions: [], indices: [], offsets: [7], footer: "\n<-03>3\n")
        #expect(
            try TimeZoneRules(tzif: bare).offsetSeconds(at: UTCTime(millisecondsSince1970: 0))
                == -10_800)
    }

    struct Damage: Sendable {
        var name: String
        var bytes: [UInt8]
        var detail: String
    }

    static let damaged: [Damage] = [
        Damage(name: "empty", bytes: [], detail: "cut off"),
        Damage(name: "text", bytes: Array("leap seconds of".utf8), detail: "not TZif"),
        Damage(
            name: "version", bytes: Array("TZifx".utf8) + file().dropFirst(5), detail: "version 120"
        ),
        Damage(name: "no type", bytes: file(offsets: []), detail: "no local time type"),
        Damage(name: "index", bytes: file(indices: [2]), detail: "type 2 of 2"),
        Damage(
            name: "order", bytes: file(transitions: [5, 5], indices: [0, 1]),
            detail: "transition 5 after 5"),
        Damage(name: "offset", bytes: file(offsets: [0, 93_600]), detail: "offset 93600"),
        Damage(name: "offset west", bytes: file(offsets: [0, -90_000]), detail: "offset -90000"),
        Damage(name: "leap seconds", bytes: file(leap: 2), detail: "2 leap seconds"),
        Damage(name: "counts", bytes: file(leap: .max), detail: "entries"),
        Damage(name: "no footer", bytes: file(footer: nil), detail: "cut off"),
        Damage(name: "footer not closed", bytes: file(footer: "\nUTC0"), detail: "footer is cut"),
        Damage(name: "no newline", bytes: file(footer: "UTC0\n"), detail: "no footer"),
        Damage(name: "footer", bytes: file(footer: "\nUTC\n"), detail: "TZ string"),
        Damage(
            name: "too large", bytes: [UInt8](repeating: 0, count: 65_537), detail: "at most 65536"),
    ]

    @Test("what is damaged is refused with its place", arguments: damaged)
    func refused(_ damage: Damage) throws {
        let error = try #require(
            thrown(TimeZoneDataError.self) { _ = try TimeZoneRules(tzif: damage.bytes) })
        #expect("\(error)".contains(damage.detail), "\(damage.name): \(error)")
    }

    @Test("no cut and no flipped byte of a real file traps")
    func fuzz() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let rows = try ZoneVectors.load().rows
        var refused = 0
        for row in rows {
            let bytes = try #require(row.bytes)
            for _ in 0..<40 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    // Most of what matters is in the headers and in the footer.
                    let place =
                        Bool.random(using: &random)
                        ? Int.random(in: 0..<min(60, damaged.count), using: &random)
                        : Int.random(in: 0..<damaged.count, using: &random)
                    damaged[place] = UInt8.random(in: 0...255, using: &random)
                }
                if Bool.random(using: &random) {
                    damaged.removeLast(Int.random(in: 1...damaged.count, using: &random))
                }
                do throws(TimeZoneDataError) {
                    let rules = try TimeZoneRules(tzif: damaged)
                    for instant in [Int64.min, -1, 0, 4_102_444_800_000, .max] {
                        let offset = rules.offsetSeconds(
                            at: UTCTime(millisecondsSince1970: instant))
                        #expect((-93_600...97_200).contains(offset), "seed \(seed)")
                    }
                } catch {
                    refused += 1
                }
            }
        }
        print("TZif fuzz: seed \(seed), \(refused) of \(rows.count * 40) refused")
        #expect(refused > rows.count * 10, "seed \(seed)")
    }
}
