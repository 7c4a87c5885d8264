/// Makes plain lines of what receivers and apps call a log.
enum LogText {
    /// UTF-16 with a byte order mark becomes bytes of 8 bits, and a UTF-8 mark goes away; everything
    /// else stays as it is. What is not ASCII in UTF-16 becomes a question mark, which no sentence
    /// holds and every text may.
    static func normalised(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        guard bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) else {
            return bytes
        }
        var filter = UTF16Filter(substitute: UInt8(ascii: "?"))
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 2)
        bytes.withUnsafeBytes { filter.pass($0) { result.append(contentsOf: $0) } }
        return result
    }
}
