import Geodesy
import Positioning
import Timekeeping

/// Makes fixes from metres around an origin, so that tests can say where things are in metres.
public struct PlaneTrack: Sendable {
    public let frame: LocalFrame
    /// GNSS time at second 0.
    public var start = UTCTime(millisecondsSince1970: 1_767_225_600_000)
    /// Added to the uptime of every fix, milliseconds.
    public var bootOffset: Int64 = 0

    public init(latitude: Double = 10, longitude: Double = 20) {
        frame = LocalFrame(
            anchor: Coordinate(latitude: latitude, longitude: longitude)
                ?? Coordinate.origin)
    }

    public func coordinate(east: Double, north: Double = 0) -> Coordinate {
        frame.coordinate(at: PlanePoint(east: east, north: north)) ?? frame.anchor
    }

    /// A fix at a second, metres east and north of the origin.
    public func fix(
        at seconds: Double, east: Double, north: Double = 0, accuracy: Double? = 5,
        speed: Double? = 10, source: FixOrigin = .recording, quality: Quality = .autonomous,
        isTrusted: Bool = true
    ) -> Fix {
        let milliseconds = Int64((seconds * 1000).rounded())
        return Fix(
            coordinate: coordinate(east: east, north: north),
            time: start.advanced(byMilliseconds: milliseconds), isTimeTrusted: isTrusted,
            uptime: Uptime(milliseconds: milliseconds + bootOffset),
            horizontalAccuracy: accuracy.map {
                HorizontalAccuracy(meters: $0, provenance: .receiver)
            },
            speed: speed, dimension: .threeDimensional, quality: quality, source: source)
    }

    /// An epoch without a position.
    public func void(at seconds: Double) -> Fix {
        let milliseconds = Int64((seconds * 1000).rounded())
        return Fix(
            time: start.advanced(byMilliseconds: milliseconds), isTimeTrusted: true,
            uptime: Uptime(milliseconds: milliseconds + bootOffset), source: .recording)
    }

    /// The same fix as the gate hands it on.
    public func accepted(
        at seconds: Double, east: Double, north: Double = 0, accuracy: Double = 5,
        speed: Double? = 10, verdict: FixVerdict = .ok, seedsState: Bool = true
    ) -> FilteredFix {
        FilteredFix(
            fix: fix(at: seconds, east: east, north: north, accuracy: accuracy, speed: speed),
            verdict: verdict, accuracyMeters: accuracy, seedsState: seedsState && verdict == .ok)
    }
}

extension Coordinate {
    /// 0 N 0 E.
    fileprivate static let origin: Coordinate = {
        guard let coordinate = Coordinate(latitude: 0, longitude: 0) else {
            preconditionFailure("0 N 0 E is on Earth")
        }
        return coordinate
    }()
}
