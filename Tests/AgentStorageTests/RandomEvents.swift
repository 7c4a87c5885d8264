import Campaigns
import Delivery
import Geodesy
import Geofencing
import Positioning
import TestSupport
import Timekeeping

/// Events that say anything that their types allow.
struct RandomEvents {
    private var random: SeededGenerator
    /// With numbers that JSON cannot hold now and then.
    private let isFinite: Bool

    init(seed: UInt64, isFinite: Bool = true) {
        random = SeededGenerator(seed: seed)
        self.isFinite = isFinite
    }

    mutating func next() -> Event {
        Event(
            clientEventID: "6b39a5b9-e3df-8567-a651-831049e4fd3b",
            position: QueuePosition(epoch: string(), sequence: integer()),
            visitID: maybe { $0.string() }, content: draft())
    }

    private mutating func draft() -> EventDraft {
        EventDraft(
            kind: one(of: EventKind.allCases), fenceID: maybe { $0.string() },
            fenceVersion: maybe { Int($0.integer()) }, bootID: BootID(string()),
            occurred: moment(), occurredUncertaintySeconds: number(), detected: moment(),
            wallClock: WallClockReading(
                time: UTCTime(millisecondsSince1970: integer()), isSynchronised: flag()),
            timeQuality: one(of: [.gnss, .gnssUnconfirmed, .disciplined, .monotonicOnly, .suspect]),
            isInitial: flag(), isInferred: flag(), reason: maybe { $0.string() },
            fix: maybe { $0.fix() }, evidence: maybe { $0.evidence() },
            durationSeconds: maybe { $0.number() }, endsVisit: flag(), mayNotify: flag(),
            notification: notification(),
            evicted: maybe {
                EvictedRange(
                    kind: $0.one(of: EventKind.allCases), count: $0.integer(),
                    firstSequence: $0.integer(), lastSequence: $0.integer())
            })
    }

    private mutating func fix() -> Fix {
        let (latitude, longitude) = (number(), number())
        return Fix(
            coordinate: Coordinate(
                latitude: latitude.magnitude > 90 ? latitude / .greatestFiniteMagnitude : latitude,
                longitude: longitude.magnitude > 180 ? 179.123_456_789 : longitude),
            time: maybe { UTCTime(millisecondsSince1970: $0.integer()) }, isTimeTrusted: flag(),
            uptime: Uptime(milliseconds: integer()),
            horizontalAccuracy: maybe {
                HorizontalAccuracy(meters: $0.number(), provenance: .gst)
            },
            altitudeMeters: maybe { $0.number() }, speed: maybe { $0.number() },
            course: maybe { $0.number() }, hdop: maybe { $0.number() },
            satellitesUsed: maybe { Int($0.integer()) },
            quality: one(
                of: [
                    .none, .autonomous, .differential, .pps, .rtkFixed, .rtkFloat, .estimated,
                    .manual, .simulated, .other(77),
                ]),
            source: one(of: [.nmea, .gpsd, .recording, .fixed]),
            integrityFlags: IntegrityFlags(rawValue: .random(in: 0...255, using: &random)))
    }

    private mutating func evidence() -> Evidence {
        Evidence(
            rule: string(), signedDistanceMeters: maybe { $0.number() },
            accuracyMeters: maybe { $0.number() }, confirmations: Int(integer()),
            spanSeconds: number(), gapSeconds: maybe { $0.number() }, isStationary: flag(),
            chord: maybe {
                Evidence.Chord(
                    entered: $0.moment(), left: $0.moment(), lengthMeters: $0.number())
            })
    }

    private mutating func notification() -> NotificationDecision {
        NotificationDecision(
            outcome: one(of: [.none, .shown, .suppressed]), reason: maybe { $0.string() },
            campaignID: maybe { $0.string() }, campaignVersion: maybe { Int($0.integer()) },
            basis: maybe {
                var basis = NotificationBasis()
                basis.cooldownOf = $0.maybe { $0.string() }
                basis.cooldownSeconds = $0.maybe { $0.number() }
                basis.sinceShownSeconds = $0.maybe { $0.number() }
                basis.remainingSeconds = $0.maybe { $0.number() }
                basis.localTime = $0.maybe { $0.string() }
                basis.timezone = $0.maybe { $0.string() }
                basis.window = $0.maybe { $0.string() }
                basis.shownToday = $0.maybe { Int($0.integer()) }
                basis.maxPerDay = $0.maybe { Int($0.integer()) }
                basis.outrankedBy = $0.maybe { $0.string() }
                return basis
            })
    }

    private mutating func moment() -> Moment {
        Moment(
            uptime: maybe { Uptime(milliseconds: $0.integer()) },
            utc: maybe { UTCTime(millisecondsSince1970: $0.integer()) })
    }

    // MARK: Values

    private mutating func flag() -> Bool { .random(using: &random) }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func maybe<Value>(_ make: (inout RandomEvents) -> Value) -> Value? {
        flag() ? make(&self) : nil
    }

    private mutating func integer() -> Int64 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: one(of: [.min, .max, 0, -1, 1, 63, 64, -64, -65, 8191, 8192])
        case 1: .random(in: .min ... .max, using: &random)
        case 2: .random(in: -200...200, using: &random)
        default: 1_800_000_000_000 + .random(in: -100_000...100_000, using: &random)
        }
    }

    private mutating func number() -> Double {
        if !isFinite, Int.random(in: 0..<40, using: &random) == 0 {
            return one(of: [.nan, .infinity, -.infinity])
        }
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            return one(
                of: [
                    0, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, -.pi, 1e15, 1e16,
                    9_007_199_254_740_991, 9_007_199_254_740_992, -9_007_199_254_740_994, 1e-9,
                    5e-10,
                    9_007_199.254_740_991, 0.1 + 0.2, 0.0005, 1e300, 4.5e15,
                ])
        case 1: return Double(Int.random(in: -1000...1000, using: &random))
        case 2: return Double(Int.random(in: -100_000...100_000, using: &random)) / 1000
        case 3: return Double(Int.random(in: -180_000_000...180_000_000, using: &random)) / 1e7
        case 4: return Double(Int.random(in: -1_000_000...1_000_000, using: &random)) / 1e9
        case 5:
            let number = Double(bitPattern: .random(in: 0 ... .max, using: &random))
            return number.isFinite ? number : 1
        default: return .random(in: -180...180, using: &random)
        }
    }

    private mutating func string() -> String {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: ""
        case 1: one(of: ["decisive", "gap", "quiet_hours", "dwell", "unreadable_rules"])
        case 2: "0123456789abcdef0123456789abcdef"
        case 3: "0123456789abcdef0123456789abcdeF"
        case 4: "300594f8-bf96-8e79-b578-549d994a3990"
        case 5:
            one(of: [
                "300594f8-bf96-8e79-b578-549d994A3990", "300594f8bf-96-8e79-b578-549d994a3990",
            ])
        case 6: "Straße \"7\"\\ \n\u{0}\u{1F} 東京 👩‍👩‍👧 e\u{301} \u{7F}/"
        case 7: String(repeating: "x", count: .random(in: 100...3000, using: &random))
        default: "fence-\(Int.random(in: 0...99, using: &random))"
        }
    }
}
