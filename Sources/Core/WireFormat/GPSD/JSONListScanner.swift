/// Takes a JSON list of objects apart without building values.
enum JSONListScanner {
    /// The bytes of each object; nil where the value is no list of objects, or has more than `limit`.
    static func elements(of value: ArraySlice<UInt8>, limit: Int) -> [ArraySlice<UInt8>]? {
        guard value.first == UInt8(ascii: "["), value.last == UInt8(ascii: "]") else { return nil }
        var elements: [ArraySlice<UInt8>] = []
        var expectsElement = false
        var position = value.startIndex + 1
        let end = value.endIndex - 1
        while true {
            while position < end, isSpace(value[position]) { position += 1 }
            guard position < end else { return expectsElement ? nil : elements }
            guard elements.isEmpty || expectsElement else { return nil }
            guard elements.count < limit, value[position] == UInt8(ascii: "{"),
                let close = endOfObject(value, from: position, to: end)
            else { return nil }
            elements.append(value[position..<close])
            position = close
            while position < end, isSpace(value[position]) { position += 1 }
            expectsElement = position < end && value[position] == UInt8(ascii: ",")
            if expectsElement { position += 1 }
        }
    }

    private static func endOfObject(
        _ value: ArraySlice<UInt8>, from start: Int, to end: Int
    ) -> Int? {
        var depth = 0
        var isText = false
        var position = start
        while position < end {
            let byte = value[position]
            if isText {
                if byte == UInt8(ascii: "\\") { position += 1 }
                if byte == UInt8(ascii: "\"") { isText = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isText = true
                case UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: "}"): depth -= 1
                default: break
                }
            }
            position += 1
            if depth == 0 { return min(position, end) }
        }
        return nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
