import Geodesy
import Positioning
import Timekeeping

/// The configured position of a kiosk that sees no sky: the same accepted fix once a second.
///
/// Its time is the wall clock's, trusted as far as somebody keeps the clock synchronised.
public final class FixedPositionSource: FixSource {
    /// Milliseconds between two fixes.
    public static let intervalMilliseconds = 1000

    private let coordinate: Coordinate
    private let accuracyMeters: Double
    private let timekeeper: any Timekeeper
    private let thread = SourceThread(name: "position")

    /// `accuracyMeters` is the radius that holds the true position with 68 %, positive.
    public init(coordinate: Coordinate, accuracyMeters: Double, timekeeper: any Timekeeper) {
        self.coordinate = coordinate
        self.accuracyMeters = accuracyMeters
        self.timekeeper = timekeeper
    }

    public func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        let fix = fix
        thread.start(deliver) { stop in
            deliver(.opened)
            deliver(.health(SourceHealth(.fix, "")))
            repeat {
                deliver(.fix(fix()))
            } while !stop.wait(milliseconds: Self.intervalMilliseconds)
        }
    }

    public func stop() { thread.stop() }

    private var fix: @Sendable () -> Fix {
        let (coordinate, accuracy, timekeeper) = (coordinate, accuracyMeters, timekeeper)
        return {
            let clock = timekeeper.wallClock
            return Fix(
                coordinate: coordinate, time: clock.time, isTimeTrusted: clock.isSynchronised,
                uptime: timekeeper.uptime,
                horizontalAccuracy: HorizontalAccuracy(meters: accuracy, provenance: .configured),
                dimension: .twoDimensional, quality: .manual, source: .fixed)
        }
    }
}
