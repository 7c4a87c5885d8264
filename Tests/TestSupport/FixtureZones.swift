import Foundation
import Timekeeping

/// The zones of Tests/Fixtures/zones, whatever tz database the machine has.
public final class FixtureZones: TimeZoneSource {
    /// The same for all tests: reading them takes some milliseconds.
    public static let shared = FixtureZones()
    private let zones: [String: TimeZoneRules]

    private init() {
        struct Vectors: Decodable {
            var rows: [Row]
        }
        struct Row: Decodable {
            var name: String
            var form: String
            var tzif: String
        }
        let bytes = SharedFolder.readFile(
            "\(SharedFolder.projectRoot)/Tests/Fixtures/zones/zones.json")
        let vectors = bytes.flatMap { try? JSONDecoder().decode(Vectors.self, from: Data($0)) }
        var zones: [String: TimeZoneRules] = [:]
        for row in vectors?.rows ?? [] where row.form == "installed" {
            guard let data = Data(base64Encoded: row.tzif) else { continue }
            zones[row.name] = try? TimeZoneRules(tzif: [UInt8](data))
        }
        self.zones = zones
    }

    public func rules(of name: TimeZoneName) -> TimeZoneRules? { zones[name.text] }

    /// Throws for a zone that is not in the fixture.
    public func zone(_ name: String) throws -> TimeZoneRules {
        guard let rules = zones[name] else { throw Missing(name: name) }
        return rules
    }

    public struct Missing: Error {
        public var name: String
    }
}
