extension [UInt8] {
    /// Whether the bytes of `text`, which is not empty, stand in these. (The search of the standard
    /// library is part of its regular expressions, a megabyte that is linked with it.)
    public func holds(_ text: String) -> Bool { firstOccurrence(of: Array(text.utf8)) != nil }

    /// Where `pattern`, which is not empty, begins for the first time; nil: nowhere.
    func firstOccurrence(of pattern: [UInt8]) -> Int? {
        guard let first = pattern.first, count >= pattern.count else { return nil }
        return withUnsafeBufferPointer { bytes in
            (0...(bytes.count - pattern.count)).first { start in
                bytes[start] == first
                    && bytes[start..<start + pattern.count].elementsEqual(pattern)
            }
        }
    }
}
