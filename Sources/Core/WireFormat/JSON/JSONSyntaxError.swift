/// A text that is not JSON, or not JSON as the wire has it, with the place.
public struct JSONSyntaxError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Bytes from the start.
    public var offset: Int
    /// 1, 2, ...
    public var line: Int
    /// Bytes from the start of the line, 1, 2, ...
    public var column: Int
    public var detail: String

    init(_ detail: String, at offset: Int, in bytes: [UInt8]) {
        self.detail = detail
        self.offset = offset
        let before = bytes[..<min(offset, bytes.count)]
        line = before.reduce(1) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        column = offset - lineStart + 1
    }

    public var description: String { "line \(line), column \(column): \(detail)" }
}
