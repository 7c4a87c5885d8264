/// A place in a file, counted from 1 as editors do.
public struct SourceMark: Hashable, Sendable, Comparable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    public static func < (left: SourceMark, right: SourceMark) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}
