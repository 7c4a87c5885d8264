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

    /// A path of 1 ... `longest` bytes without a zero byte, or nil where the key is absent or empty.
    /// What lies there is another question: see `ConfigurationFiles`.
    func decodePathIfPresent(forKey key: Key, longest: Int = 4095) throws -> String? {
        guard let path = try decodeIfPresent(String.self, forKey: key) else { return nil }
        guard (1...longest).contains(path.utf8.count), !path.utf8.contains(0) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self,
                debugDescription: "'\(path.prefix(40))' is no path of 1...\(longest) bytes")
        }
        return path
    }
}
