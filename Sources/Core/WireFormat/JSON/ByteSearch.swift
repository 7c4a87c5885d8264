extension [UInt8] {
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
