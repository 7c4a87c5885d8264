import Geodesy
import Snapshots
import Timekeeping

extension SnapshotReader {
    /// Within 30,000 years, so that differences and sums cannot overflow.
    fileprivate mutating func readMilliseconds() throws(SnapshotError) -> Int64 {
        let value = try read(Int64.self)
        guard value.magnitude <= 1_000_000_000_000_000 else { throw .impossible("a time") }
        return value
    }
}

extension Uptime: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(milliseconds) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(milliseconds: try snapshot.readMilliseconds())
    }
}

extension UTCTime: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(millisecondsSince1970)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(millisecondsSince1970: try snapshot.readMilliseconds())
    }
}

extension Coordinate: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(latitude)
        snapshot.write(longitude)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let latitude = try snapshot.read(Double.self)
        let longitude = try snapshot.read(Double.self)
        guard let coordinate = Self(latitude: latitude, longitude: longitude) else {
            throw .impossible("a place")
        }
        self = coordinate
    }
}

extension Dimension: Snapshotted {}
extension FixOrigin: Snapshotted {}
extension FixVerdict: Snapshotted {}
extension HorizontalAccuracy.Provenance: Snapshotted {}

extension Quality: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(name)
        if case .other(let number) = self { snapshot.write(number) }
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        guard let quality = Self(name: try snapshot.read()) else {
            throw .impossible("a quality")
        }
        self = quality
        if case .other = quality { self = .other(try snapshot.read()) }
    }
}

extension HorizontalAccuracy: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(meters)
        snapshot.write(provenance)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(meters: try snapshot.read(), provenance: try snapshot.read())
    }
}

extension Fix: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(coordinate)
        snapshot.write(time)
        snapshot.write(isTimeTrusted)
        snapshot.write(uptime)
        snapshot.write(horizontalAccuracy)
        snapshot.write(altitudeMeters)
        snapshot.write(speed)
        snapshot.write(course)
        snapshot.write(hdop)
        snapshot.write(satellitesUsed)
        snapshot.write(satellitesInView)
        snapshot.write(bestSignal)
        snapshot.write(dimension)
        snapshot.write(quality)
        snapshot.write(source)
        snapshot.write(byte: integrityFlags.rawValue)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            coordinate: try snapshot.read(), time: try snapshot.read(),
            isTimeTrusted: try snapshot.read(), uptime: try snapshot.read(),
            horizontalAccuracy: try snapshot.read(), altitudeMeters: try snapshot.read(),
            speed: try snapshot.read(), course: try snapshot.read(), hdop: try snapshot.read(),
            satellitesUsed: try snapshot.read(), satellitesInView: try snapshot.read(),
            bestSignal: try snapshot.read(), dimension: try snapshot.read(),
            quality: try snapshot.read(), source: try snapshot.read(),
            integrityFlags: IntegrityFlags(rawValue: try snapshot.readByte()))
    }
}

extension FilteredFix: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(fix)
        snapshot.write(verdict)
        snapshot.write(accuracyMeters)
        snapshot.write(seedsState)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            fix: try snapshot.read(), verdict: try snapshot.read(),
            accuracyMeters: try snapshot.read(), seedsState: try snapshot.read())
    }
}

extension NominalPeriod: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(intervals) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(intervals: try snapshot.read())
    }
}
