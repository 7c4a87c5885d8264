/// Cuts a stream of bytes into lines. Pure.
public struct LineSplitter: Sendable {
    /// A longer line is dropped.
    public static let maximumLineBytes = 1 << 20

    /// Lines that were longer than the limit.
    public private(set) var droppedLines = 0

    private let limit: Int
    private var rest: [UInt8] = []
    private var isDropping = false

    /// - Parameter limit: bytes of the longest line that is kept.
    public init(limit: Int = maximumLineBytes) {
        self.limit = limit
    }

    /// The lines that these bytes complete, without their line feeds.
    public mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = bytes.startIndex
        while let end = bytes[start...].firstIndex(of: 10) {
            take(bytes[start..<end])
            if !isDropping { lines.append(rest) }
            rest = []
            isDropping = false
            start = end + 1
        }
        take(bytes[start...])
        return lines
    }

    /// The last line, which no line feed ends; nil when there is none.
    public mutating func finish() -> [UInt8]? {
        defer {
            rest = []
            isDropping = false
        }
        return rest.isEmpty || isDropping ? nil : rest
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !isDropping else { return }
        guard bytes.count <= limit - rest.count else {
            rest = []
            isDropping = true
            droppedLines += 1
            return
        }
        rest += bytes
    }
}
