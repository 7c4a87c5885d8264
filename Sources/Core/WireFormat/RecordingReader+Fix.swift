import Geodesy
import Positioning
import Timekeeping

/// `fix` records.
extension RecordingReader {
    /// A fix without a position, or with one that is not on Earth, is a void epoch. `time` counts
    /// as trusted: what a recording says was checked by whoever recorded it.
    func fix(_ scanner: JSONObjectScanner, at now: Uptime) throws(RecordingError) -> Fix {
        let time = try time(scanner, "time")
        let untrusted = try self.time(scanner, "time_untrusted")
        var fix = Fix(
            time: time ?? untrusted, isTimeTrusted: time != nil, uptime: now,
            source: scanner.text("source").flatMap(FixOrigin.init(rawValue:)) ?? .recording)
        fix.dimension = try dimension(scanner)
        fix.quality = try quality(scanner)
        fix.integrityFlags = flags(scanner)
        guard fix.dimension != .none else { return fix }
        guard let latitude = scanner.number("lat"), let longitude = scanner.number("lon") else {
            throw failure("a fix of dimension \(fix.dimension.rawValue) has lat and lon")
        }
        guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
            fix.dimension = .none
            return fix
        }
        fix.coordinate = coordinate
        if let accuracy = try number(scanner, "accuracy_m"), accuracy > 0 {
            let provenance = scanner.text("accuracy_source")
                .flatMap(HorizontalAccuracy.Provenance.init(rawValue:))
            fix.horizontalAccuracy = HorizontalAccuracy(
                meters: accuracy, provenance: provenance ?? .receiver)
        }
        fix.altitudeMeters = scanner.number("altitude_m")
        fix.speed = try number(scanner, "speed_mps")
        fix.course = try number(scanner, "course_deg")
        fix.hdop = try number(scanner, "hdop")
        fix.satellitesUsed = try number(scanner, "satellites").map { Int(min($0, 1000)) }
        return fix
    }

    private func time(
        _ scanner: JSONObjectScanner, _ name: StaticString
    ) throws(RecordingError) -> UTCTime? {
        if scanner.isNull(name) { return nil }
        guard let text = scanner.text(name) else { throw failure("\(name): not a string") }
        guard let time = UTCTime(rfc3339: text) else {
            throw failure("\(name): '\(text.prefix(40))' is not an RFC 3339 time")
        }
        return time
    }

    private func dimension(_ scanner: JSONObjectScanner) throws(RecordingError) -> Dimension {
        if scanner.isNull("dimension") {
            return scanner.isNull("lat") || scanner.isNull("lon") ? .none : .twoDimensional
        }
        guard let text = scanner.text("dimension"), let dimension = Dimension(rawValue: text) else {
            throw failure("dimension: not none, 2d or 3d")
        }
        return dimension
    }

    private func quality(_ scanner: JSONObjectScanner) throws(RecordingError) -> Quality {
        if scanner.isNull("quality") { return .autonomous }
        guard let text = scanner.text("quality"), let quality = Quality(name: text) else {
            throw failure("quality: unknown name")
        }
        if case .other = quality, let number = scanner.number("quality_number"),
            let whole = Int(exactly: number)
        {
            return .other(whole)
        }
        return quality
    }

    private func flags(_ scanner: JSONObjectScanner) -> IntegrityFlags {
        IntegrityFlags(
            rawValue: scanner.number("flags").flatMap(UInt8.init(exactly:)) ?? 0)
    }

    /// Nil where absent or null; negative numbers are nobody's measurement and count as absent.
    private func number(
        _ scanner: JSONObjectScanner, _ name: StaticString
    ) throws(RecordingError) -> Double? {
        if scanner.isNull(name) { return nil }
        guard let value = scanner.number(name) else { throw failure("\(name): not a number") }
        return value >= 0 ? value : nil
    }
}
