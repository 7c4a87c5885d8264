import Delivery
import Geodesy
import Geofencing
import Positioning
import Synchronization
import Timekeeping

/// Event drafts for tests that need some, whatever they say.
public enum SampleEvents {
    public static let bootID = BootID("00112233445566778899aabbccddeeff")

    /// An event of the given kind, decided at `second` of uptime.
    public static func draft(
        _ kind: EventKind = .enter, fence: String? = "depot", second: Int64 = 1
    ) -> EventDraft {
        let uptime = Uptime(milliseconds: second * 1000)
        let utc = UTCTime(millisecondsSince1970: 1_800_000_000_000 + second * 1000)
        let moment = Moment(uptime: uptime, utc: utc)
        return EventDraft(
            kind: kind, fenceID: fence, fenceVersion: fence == nil ? nil : 3, bootID: bootID,
            occurred: moment, detected: moment,
            wallClock: WallClockReading(time: utc, isSynchronised: true), timeQuality: .gnss,
            fix: Fix(
                coordinate: Coordinate(latitude: 52.5, longitude: 13.4), time: utc,
                isTimeTrusted: true, uptime: uptime,
                horizontalAccuracy: HorizontalAccuracy(meters: 4, provenance: .hdop), speed: 1.5,
                hdop: 0.9, satellitesUsed: 11, dimension: .threeDimensional,
                quality: .autonomous, source: .nmea),
            evidence: Evidence(rule: "outside.decisive", signedDistanceMeters: 12.5))
    }

    /// `count` events that differ in their time.
    public static func drafts(_ count: Int, _ kind: EventKind = .enter) -> [EventDraft] {
        (0..<count).map { draft(kind, second: Int64($0 + 1)) }
    }
}

/// A clock that says what it is told.
public final class SettableTimekeeper: Timekeeper {
    private let state: Mutex<(uptime: Uptime, wall: WallClockReading)>
    public let bootID: BootID

    public init(bootID: BootID = SampleEvents.bootID) {
        self.bootID = bootID
        state = Mutex(
            (
                Uptime(milliseconds: 100_000),
                WallClockReading(
                    time: UTCTime(millisecondsSince1970: 1_800_000_100_000), isSynchronised: true)
            ))
    }

    public var uptime: Uptime { state.withLock { $0.uptime } }
    public var wallClock: WallClockReading { state.withLock { $0.wall } }

    public func advance(seconds: Int64) {
        state.withLock {
            $0.uptime = $0.uptime.advanced(byMilliseconds: seconds * 1000)
            $0.wall.time = $0.wall.time.advanced(byMilliseconds: seconds * 1000)
        }
    }
}

/// Keeps log lines for a test to look at.
public final class LogCollector: LogSink {
    private let collected = Mutex<[LogLine]>([])

    public init() {}

    public func write(_ line: LogLine) { collected.withLock { $0.append(line) } }

    public var messages: [String] { collected.withLock { $0.map(\.message) } }
}
