/// Cuts a stream of bytes into lines. Pure.
struct LineSplitter {
    /// A longer line is dropped.
    static let maximumLineBytes = 1 << 20

    private var rest: [UInt8] = []
    private var isDropping = false

    /// The lines that these bytes complete, without their line feeds.
    mutating func add(_ bytes: ArraySlice<UInt8>) -> [[UInt8]] {
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
    mutating func finish() -> [UInt8]? {
        defer { rest = [] }
        return rest.isEmpty || isDropping ? nil : rest
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        guard !isDropping else { return }
        rest += bytes
        if rest.count > Self.maximumLineBytes {
            rest = []
            isDropping = true
        }
    }
}
