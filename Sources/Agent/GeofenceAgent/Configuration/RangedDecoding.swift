extension KeyedDecodingContainer {
    /// A number within a range; the error at the key names the value and the range.
    func decode<Number: Comparable & Decodable>(
        _ type: Number.Type, forKey key: Key, in range: ClosedRange<Number>
    ) throws -> Number {
        let value = try decode(type, forKey: key)
        guard range.contains(value) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription:
                    "\(value) is out of range, allowed \(range.lowerBound)...\(range.upperBound)")
        }
        return value
    }

    /// A number within a range, or nil where the key is absent or empty.
    func decodeIfPresent<Number: Comparable & Decodable>(
        _ type: Number.Type, forKey key: Key, in range: ClosedRange<Number>
    ) throws -> Number? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try decode(type, forKey: key, in: range)
    }
}
