import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// CSV with a header line that names at least time, latitude and longitude.
enum CSVTrack {
    /// The columns that a header line names; nil where it is no such header.
    static func columns(of line: some Collection<UInt8>) -> CSVColumns? {
        CSVColumns(names: cells(String(decoding: line, as: UTF8.self)))
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

    /// Nil where the row breaks the form; a row that says so, or has no coordinates, is an epoch
    /// without a fix.
    private static func fix(_ row: [String], _ columns: CSVColumns) -> Fix? {
        func cell(_ column: Int?) -> String? {
            column.flatMap { row.indices.contains($0) ? row[$0] : nil }
        }
        guard let time = CSVTime.instant(cell(columns.time), date: cell(columns.date)),
            columns.date == nil || cell(columns.date) != nil,
            let latitude = cell(columns.latitude), let longitude = cell(columns.longitude)
        else { return nil }
        var fix = Fix(
            time: time, isTimeTrusted: true, uptime: Uptime(milliseconds: 0), source: .recording)
        let isVoid = cell(columns.validity)?.lowercased().hasPrefix("no") == true
        if isVoid || (latitude.isEmpty && longitude.isEmpty) { return fix }
        guard let latitude = degrees(latitude, cell(columns.northing), negative: "S"),
            let longitude = degrees(longitude, cell(columns.easting), negative: "W"),
            let coordinate = Coordinate(latitude: latitude, longitude: longitude)
        else { return nil }
        fix.coordinate = coordinate
        fix.dimension = .twoDimensional
        fix.quality = .autonomous
        fix.speed = number(cell(columns.speed)).map { $0 * columns.speedFactor }
        if let accuracy = number(cell(columns.accuracy)), accuracy > 0 {
            fix.horizontalAccuracy = HorizontalAccuracy(meters: accuracy, provenance: .receiver)
        }
        return fix
    }

    /// A number that is not negative; a unit may stand behind it.
    private static func number(_ cell: String?) -> Double? {
        guard let digits = cell?.prefix(while: { $0 != " " }), let value = Double(digits),
            value.isFinite, value >= 0
        else { return nil }
        return value
    }

    /// Degrees with a sign, a letter behind them, or one in a cell of its own.
    private static func degrees(
        _ cell: String, _ hemisphere: String?, negative: Character
    ) -> Double? {
        let positive: Character = negative == "S" ? "N" : "E"
        var digits = cell[...]
        var letter = hemisphere?.first
        if let last = digits.last, last == negative || last == positive {
            letter = digits.removeLast()
        }
        guard let value = Double(digits), letter.map({ $0 == negative || $0 == positive }) ?? true
        else { return nil }
        return letter == negative ? -value : value
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

    /// Without the spaces and NULs around it that loggers of fixed columns write.
    private static func trimmed(_ text: String) -> String {
        func isPadding(_ character: Character) -> Bool {
            character.isWhitespace || character == "\0"
        }
        return String(
            text.drop(while: isPadding).reversed().drop(while: isPadding).reversed())
    }
}
