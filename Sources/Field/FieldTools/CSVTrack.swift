import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// CSV with a header line that names at least time, latitude and longitude.
enum CSVTrack {
    /// Column numbers by meaning.
    struct Columns: Hashable, Sendable {
        var time: Int
        var latitude: Int
        var longitude: Int
        var accuracy: Int?
        var speed: Int?
    }

    /// The columns that a header line names; nil where it is no such header.
    static func columns(of line: some Collection<UInt8>) -> Columns? {
        let names = cells(String(decoding: line, as: UTF8.self)).map { $0.lowercased() }
        func column(_ accepted: Set<String>) -> Int? { names.firstIndex(where: accepted.contains) }
        guard let time = column(["time", "timestamp", "utc", "datetime"]),
            let latitude = column(["lat", "latitude"]),
            let longitude = column(["lon", "lng", "long", "longitude"])
        else { return nil }
        return Columns(
            time: time, latitude: latitude, longitude: longitude,
            accuracy: column(["accuracy_m", "accuracy", "hacc", "sigma_m"]),
            speed: column(["speed_mps", "speed"]))
    }

    static func fixes(of text: [UInt8]) throws(RecordingError) -> [Fix] {
        let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard let header = lines.first, let columns = columns(of: header) else { return [] }
        var fixes: [Fix] = []
        for (index, line) in lines.enumerated().dropFirst() {
            guard line.contains(where: { $0 > 0x20 }) else { continue }
            let row = cells(String(decoding: line, as: UTF8.self))
            guard let fix = fix(row, columns) else {
                throw RecordingError(
                    line: index + 1, detail: "no time, latitude and longitude in the row")
            }
            fixes.append(fix)
        }
        return fixes
    }

    private static func fix(_ row: [String], _ columns: Columns) -> Fix? {
        func cell(_ column: Int?) -> String? {
            column.flatMap { row.indices.contains($0) ? row[$0] : nil }
        }
        func number(_ column: Int?) -> Double? {
            cell(column).flatMap(Double.init).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
        }
        guard let time = cell(columns.time).flatMap(time),
            let coordinate = coordinate(
                cell(columns.latitude), cell(columns.longitude))
        else { return nil }
        var fix = Fix(
            coordinate: coordinate, time: time, isTimeTrusted: true,
            uptime: Uptime(milliseconds: 0), dimension: .twoDimensional, quality: .autonomous,
            source: .recording)
        fix.speed = number(columns.speed)
        if let accuracy = number(columns.accuracy), accuracy > 0 {
            fix.horizontalAccuracy = HorizontalAccuracy(meters: accuracy, provenance: .receiver)
        }
        return fix
    }

    private static func coordinate(_ latitude: String?, _ longitude: String?) -> Coordinate? {
        guard let latitude = latitude.flatMap(Double.init),
            let longitude = longitude.flatMap(Double.init)
        else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    /// RFC 3339, or seconds or milliseconds since 1970.
    private static func time(_ text: String) -> UTCTime? {
        if let time = UTCTime(rfc3339: text) { return time }
        guard let number = Double(text), number > 0, number < 1e14 else { return nil }
        return UTCTime(
            millisecondsSince1970: Int64((number < 1e11 ? number * 1000 : number).rounded()))
    }

    /// The cells of a line (RFC 4180), trimmed; a quoted cell may hold commas.
    private static func cells(_ line: String) -> [String] {
        var cells: [String] = []
        var cell = ""
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted, ";" where !isQuoted:
                cells.append(trimmed(cell))
                cell = ""
            default: cell.append(character)
            }
        }
        cells.append(trimmed(cell))
        return cells
    }

    private static func trimmed(_ text: String) -> String {
        String(
            text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
