import Timekeeping

/// Reads the typed members of one JSON object of gpsd.
///
/// A member of the wrong type makes the whole object malformed: damage that left the outline intact
/// is not believed in part. `nan` and `inf`, which gpsd has written for "unknown", are absent.
struct GPSDMembers {
    private let object: JSONObjectScanner
    private(set) var isMalformed = false

    init(_ object: JSONObjectScanner) {
        self.object = object
    }

    /// A finite number; nil where it is absent.
    mutating func number(_ name: StaticString) -> Double? {
        guard let value = object[name], !Self.isUnknown(value) else { return nil }
        guard Self.isNumber(value), let number = JSONObjectScanner.number(value) else {
            isMalformed = true
            return nil
        }
        return number
    }

    /// A number within bounds; one beyond them is malformed.
    mutating func number(_ name: StaticString, in range: ClosedRange<Double>) -> Double? {
        guard let number = number(name) else { return nil }
        guard range.contains(number) else {
            isMalformed = true
            return nil
        }
        return number
    }

    /// A whole number within bounds; anything else is malformed.
    mutating func integer(_ name: StaticString, in range: ClosedRange<Int>) -> Int? {
        let bounds = Double(range.lowerBound)...Double(range.upperBound)
        guard let number = number(name, in: bounds) else { return nil }
        let whole = Int(number)
        guard Double(whole) == number else {
            isMalformed = true
            return nil
        }
        return whole
    }

    /// A string of at most `limit` bytes; nil where it is absent.
    mutating func text(_ name: StaticString, limit: Int = 512) -> String? {
        guard let value = object[name], !Self.equals(value, "null") else { return nil }
        guard value.count <= limit, let text = object.text(name) else {
            isMalformed = true
            return nil
        }
        return text
    }

    /// An RFC 3339 time in a string; nil where it is absent.
    mutating func time(_ name: StaticString) -> UTCTime? {
        guard let text = text(name, limit: 64) else { return nil }
        guard let time = UTCTime(rfc3339: text) else {
            isMalformed = true
            return nil
        }
        return time
    }

    mutating func flag(_ name: StaticString) -> Bool? {
        guard let value = object[name], !Self.equals(value, "null") else { return nil }
        guard let flag = object.flag(name) else {
            isMalformed = true
            return nil
        }
        return flag
    }

    /// The bytes of the objects in a list, at most `limit`; empty where it is absent.
    mutating func objects(_ name: StaticString, limit: Int) -> [ArraySlice<UInt8>] {
        guard let value = object[name], !Self.equals(value, "null") else { return [] }
        guard let elements = JSONListScanner.elements(of: value, limit: limit) else {
            isMalformed = true
            return []
        }
        return elements
    }

    /// A value of any kind, as it stands.
    func bytes(_ name: StaticString) -> ArraySlice<UInt8>? { object[name] }

    static func equals(_ value: ArraySlice<UInt8>, _ text: StaticString) -> Bool {
        value.elementsEqual(
            UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// null, or one of the words of C's printf for a number that is none.
    private static func isUnknown(_ value: ArraySlice<UInt8>) -> Bool {
        guard value.count <= 9 else { return false }
        let word = value.first == UInt8(ascii: "-") ? value.dropFirst() : value
        let lower = word.map { $0 | 0x20 }[...]
        let words: [StaticString] = ["null", "nan", "inf", "infinity"]
        return words.contains { equals(lower, $0) }
    }

    /// The JSON grammar, but for leading zeros: digits on both sides of a point, no sign but minus.
    private static func isNumber(_ value: ArraySlice<UInt8>) -> Bool {
        let first = value.first == UInt8(ascii: "-") ? value.dropFirst().first : value.first
        guard let first, let last = value.last else { return false }
        return value.count <= 64 && isDigit(first) && isDigit(last)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
