import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// The track points of a GPX 1.0 or 1.1 file, by a scanner for exactly these elements.
enum GPXTrack {
    static func fixes(of text: [UInt8]) throws(RecordingError) -> [Fix] {
        var fixes: [Fix] = []
        var scanner = MarkupScanner(text)
        var fix: Fix?
        while let piece = scanner.next() {
            switch piece {
            case .open("trkpt", let attributes, let isEmpty):
                let point = try point(attributes, line: scanner.line)
                if isEmpty { fixes.append(point) } else { fix = point }
            case .close("trkpt"):
                if let fix { fixes.append(fix) }
                fix = nil
            case .leaf(let name, let content):
                guard fix != nil else { continue }
                try note(name, content, in: &fix, line: scanner.line)
            case .open, .close: break
            }
        }
        guard fix == nil else {
            throw RecordingError(line: scanner.line, detail: "the file ends within a track point")
        }
        return fixes
    }

    private static func point(
        _ attributes: [String: String], line: Int
    ) throws(RecordingError) -> Fix {
        guard let latitude = attributes["lat"].flatMap(Double.init),
            let longitude = attributes["lon"].flatMap(Double.init),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { throw RecordingError(line: line, detail: "trkpt without lat and lon on Earth") }
        return Fix(
            coordinate: coordinate, uptime: Uptime(milliseconds: 0),
            dimension: .twoDimensional, quality: .autonomous, source: .recording)
    }

    private static func note(
        _ name: String, _ content: String, in fix: inout Fix?, line: Int
    ) throws(RecordingError) {
        switch name {
        case "time":
            guard let time = UTCTime(rfc3339: content) else {
                throw RecordingError(
                    line: line, detail: "time '\(content.prefix(40))' is not RFC 3339")
            }
            fix?.time = time
            fix?.isTimeTrusted = true
        case "speed": fix?.speed = Double(content).flatMap { $0 >= 0 ? $0 : nil }
        case "hdop": fix?.hdop = Double(content).flatMap { $0 > 0 ? $0 : nil }
        default: break
        }
    }
}

/// Elements of an XML text one after the other, without entities beyond what numbers need.
struct MarkupScanner {
    enum Piece {
        case open(String, [String: String], isEmpty: Bool)
        case close(String)
        /// An element with text and no elements.
        case leaf(String, String)
    }

    private let text: [UInt8]
    private var position = 0
    /// Counted from 1.
    private(set) var line = 1

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func next() -> Piece? {
        while let start = find(UInt8(ascii: "<"), from: position) {
            guard let end = find(UInt8(ascii: ">"), from: start) else { return nil }
            advance(to: end + 1)
            var tag = String(decoding: text[(start + 1)..<end], as: UTF8.self)
            if tag.hasPrefix("?") || tag.hasPrefix("!") { continue }
            if tag.hasPrefix("/") { return .close(Self.localName(tag.dropFirst())) }
            let isEmpty = tag.hasSuffix("/")
            if isEmpty { tag.removeLast() }
            let parts = tag.split(
                maxSplits: 1, omittingEmptySubsequences: true, whereSeparator: \.isWhitespace)
            let name = Self.localName(parts.first ?? "")
            if !isEmpty, let content = leafContent() { return .leaf(name, content) }
            return .open(
                name, parts.count > 1 ? Self.attributes(parts[1]) : [:], isEmpty: isEmpty)
        }
        return nil
    }

    /// The text up to the closing tag, if nothing else comes before it.
    private mutating func leafContent() -> String? {
        guard let end = find(UInt8(ascii: "<"), from: position), end + 1 < text.count,
            text[end + 1] == UInt8(ascii: "/"), let close = find(UInt8(ascii: ">"), from: end)
        else { return nil }
        let content = String(decoding: text[position..<end], as: UTF8.self)
        guard content.contains(where: { !$0.isWhitespace }) else { return nil }
        advance(to: close + 1)
        return content.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private func find(_ byte: UInt8, from start: Int) -> Int? {
        start < text.count ? text[start...].firstIndex(of: byte) : nil
    }

    private mutating func advance(to end: Int) {
        for index in position..<min(end, text.count) where text[index] == 0x0A { line += 1 }
        position = end
    }

    private static func localName(_ name: some StringProtocol) -> String {
        String(name.split(separator: ":").last ?? "").trimmedRight
    }

    private static func attributes(_ text: Substring) -> [String: String] {
        var result: [String: String] = [:]
        var rest = text
        while let equals = rest.firstIndex(of: "=") {
            let name = rest[..<equals].filter { !$0.isWhitespace }
            let after = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
            guard let quote = after.first, quote == "\"" || quote == "'" else { return result }
            let value = after.dropFirst().prefix { $0 != quote }
            result[String(name)] = String(value)
            rest = after.dropFirst(value.count + 2)
        }
        return result
    }
}

extension String {
    fileprivate var trimmedRight: String {
        var result = self
        while result.last?.isWhitespace == true { result.removeLast() }
        return result
    }
}
