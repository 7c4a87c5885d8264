/// Columns of words, aligned for people; the last column is never padded.
public struct TextTable: Sendable {
    private var rows: [[String]]
    private let rightAligned: Set<Int>

    /// `rightAligned` names the columns of numbers, counted from 0.
    public init(header: [String], rightAligned: Set<Int> = []) {
        rows = [header]
        self.rightAligned = rightAligned
    }

    public mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The header and the rows, one text a line.
    public var lines: [String] {
        let columnCount = rows.map(\.count).max() ?? 0
        let widths = (0..<columnCount).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        return rows.map { row in
            row.enumerated()
                .map { column, cell in
                    let padding = String(repeating: " ", count: widths[column] - cell.count)
                    if rightAligned.contains(column) { return padding + cell }
                    return column == row.count - 1 ? cell : cell + padding
                }
                .joined(separator: "  ")
        }
    }
}
