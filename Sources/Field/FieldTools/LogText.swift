/// Makes plain lines of what receivers and apps call a log.
enum LogText {
    /// UTF-16 with a byte order mark becomes bytes of 8 bits, and a UTF-8 mark goes away; everything
    /// else stays as it is.
    static func normalised(_ bytes: [UInt8]) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) { return narrow(bytes.dropFirst(2), lowFirst: true) }
        if bytes.starts(with: [0xFE, 0xFF]) { return narrow(bytes.dropFirst(2), lowFirst: false) }
        return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    }

    /// What is not ASCII becomes a question mark, which no sentence holds.
    private static func narrow(_ bytes: ArraySlice<UInt8>, lowFirst: Bool) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let low = bytes[lowFirst ? index : index + 1]
            let high = bytes[lowFirst ? index + 1 : index]
            result.append(high == 0 && low < 0x80 ? low : UInt8(ascii: "?"))
            index += 2
        }
        return result
    }
}
