import Geodesy
import Geofencing
import Positioning
import Timekeeping

/// Reads a recording line by line.
///
/// A last line without its newline that cannot be read was torn by a power cut and is passed over;
/// any other defect is an error that names its line.
public struct RecordingReader: Sendable {
    /// Milliseconds, either way: sums of them cannot overflow.
    private static let uptimeLimit: UInt64 = 1_000_000_000_000_000
    private static let partLimit = 1_000_000_000

    private let bytes: [UInt8]
    private var position = 0
    /// The line that was read last, counted from 1.
    public private(set) var line = 0
    /// Whether the last line was torn.
    public private(set) var isTorn = false
    private var milliseconds: Int64 = 0
    private var hasHeader = false

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether the bytes look like a recording rather than a receiver's log.
    public static func recognises(_ bytes: some Collection<UInt8>) -> Bool {
        let first = bytes.prefix { $0 != 0x0A }
        guard first.count < 65_536, let scanner = JSONObjectScanner(ArraySlice(first)) else {
            return false
        }
        return scanner.text("k") != nil && scanner.text("io") != nil
    }

    /// Whether a power cut left nothing, or less than the first line, of a part.
    public static func isTornAtStart(_ bytes: some Collection<UInt8>) -> Bool {
        !bytes.contains(0x0A)
    }

    /// The next record; nil at the end.
    public mutating func next() throws(RecordingError) -> RecordingRecord? {
        while position < bytes.count {
            let end = bytes[position...].firstIndex(of: 0x0A) ?? bytes.count
            let text = bytes[position..<end]
            let isLast = end == bytes.count
            position = end + 1
            line += 1
            if text.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { continue }
            do throws(RecordingError) {
                return try record(text)
            } catch {
                guard isLast else { throw error }
                isTorn = true
            }
        }
        return nil
    }

    private mutating func record(
        _ text: ArraySlice<UInt8>
    ) throws(RecordingError) -> RecordingRecord {
        guard let scanner = JSONObjectScanner(text) else { throw failure("not a JSON object") }
        guard let kind = scanner.text("k") else { throw failure("k: missing") }
        guard let direction = scanner.text("io"), ["in", "out", "obs"].contains(direction) else {
            throw failure("io: not in, out or obs")
        }
        let now = try milliseconds(scanner, "m")
        let arrived = scanner.isNull("at") ? nil : try milliseconds(scanner, "at")
        let content = try content(kind, direction, scanner, text, at: arrived ?? now)
        if case .header(let header) = content {
            // Recordings one behind the other in one file: another run has a time of its own.
            if hasHeader, let run = header.run, run.part == 1 { milliseconds = 0 }
            hasHeader = true
        }
        guard hasHeader else { throw failure("the first record is '\(kind)', not header") }
        guard now >= milliseconds else {
            throw failure("m: \(now) after \(milliseconds), but m never decreases")
        }
        milliseconds = now
        return RecordingRecord(
            milliseconds: milliseconds, utc: scanner.text("u").flatMap { UTCTime(rfc3339: $0) },
            arrivedMilliseconds: arrived, content)
    }

    private func milliseconds(
        _ scanner: JSONObjectScanner, _ name: StaticString
    ) throws(RecordingError) -> Int64 {
        guard let uptime = scanner.number(name), abs(uptime) < 1e15 else {
            throw failure("\(name): not a number of milliseconds")
        }
        guard uptime >= 0 else { throw failure("\(name): \(uptime) is below 0") }
        return Int64(uptime.rounded())
    }

    private func content(
        _ kind: String, _ direction: String, _ scanner: JSONObjectScanner,
        _ text: ArraySlice<UInt8>, at now: Int64
    ) throws(RecordingError) -> RecordingRecord.Content {
        switch (kind, direction) {
        case ("header", "in"): return .header(try header(text))
        case ("fences", "in"): return .fences(try decoded(RecordedFences.self, text))
        case ("raw", "in"): return .raw(try raw(scanner))
        case ("fix", "in"): return .fix(try fix(scanner, at: Uptime(milliseconds: now)))
        case ("hint", "in"):
            guard let flag = scanner.flag("stationary") else {
                throw failure("stationary: not true or false")
            }
            return .hint(stationary: flag)
        case ("restart", "in"):
            return .restart(state: scanner.text("state").map { Array($0.utf8) })
        case ("source", "in"):
            guard let event = scanner.text("event").flatMap(RecordedSourceEvent.init(rawValue:))
            else { throw failure("event: not opened, paused or ended") }
            return .source(event)
        case ("tick", "in"): return .tick
        case ("gap", "in"):
            return .gap(lost: scanner.number("lost").flatMap(Int.init(exactly:)) ?? 0)
        case (_, "in"): return .unknownInput(kind: kind)
        case ("mark", _):
            return .mark(
                fence: scanner.text("fence"), kind: scanner.text("kind"),
                label: scanner.text("label"))
        case ("network", _):
            return .network(link: scanner.flag("link"), server: scanner.flag("server"))
        case ("decision", "out"): return .decision(try decoded(WireDecision.self, text))
        case ("report", "obs"): return .report(try raw(scanner))
        case ("filter", _): return .filter(verdict: scanner.text("verdict") ?? "")
        default: return .ignored(kind: kind)
        }
    }

    private func header(_ text: ArraySlice<UInt8>) throws(RecordingError) -> RecordingHeader {
        let header = try decoded(RecordingHeader.self, text)
        guard header.schema == RecordingHeader.schema else {
            throw failure("schema: '\(header.schema)' is not \(RecordingHeader.schema)")
        }
        do throws(WireError) {
            try header.rules?.validate()
        } catch {
            throw failure("/rules" + error.description)
        }
        if let run = header.run {
            guard (1...Self.partLimit).contains(run.part) else {
                throw failure("/run/part: \(run.part) is not 1 ... \(Self.partLimit)")
            }
            for time in [run.startedMilliseconds, run.trustedMilliseconds ?? 0]
            where time.magnitude > Self.uptimeLimit {
                throw failure("/run: \(time) is not a number of milliseconds")
            }
        }
        return header
    }

    private func raw(_ scanner: JSONObjectScanner) throws(RecordingError) -> [UInt8] {
        if let text = scanner.text("s") { return Array(text.utf8) }
        guard let text = scanner.text("b64") else { throw failure("neither s nor b64") }
        guard let bytes = Base64.bytes(of: text) else { throw failure("b64: not base64") }
        return bytes
    }

    private func decoded<Value: Decodable>(
        _ type: Value.Type, _ text: ArraySlice<UInt8>
    ) throws(RecordingError) -> Value {
        do throws(WireError) {
            return try WireCoding.decode(type, from: text)
        } catch {
            throw failure(error.description)
        }
    }

    func failure(_ detail: String) -> RecordingError {
        RecordingError(line: line, detail: detail)
    }
}
