/// Reads the fields of a sentence from left to right, strictly.
///
/// Every reader takes one field (or the number it names) and its comma. An empty field is nil; one
/// that breaks its rule is nil too and marks the whole sentence as malformed. Nothing is allocated.
struct FieldCursor {
    /// The first byte of the next field; behind `end` once there is none.
    var next: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    /// Whether a field broke its rule, or was asked for but missing.
    var isMalformed = false

    /// Starts at the first field behind the address.
    @inline(__always)
    init(fieldsFrom start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) {
        next = start
        self.end = end
    }

    /// Whether a field is left, empty or not.
    @inline(__always)
    var hasField: Bool { next <= end }

    /// Whether nothing is left and nothing was wrong: the sentence stands.
    @inline(__always)
    var isComplete: Bool { !isMalformed && next > end }

    /// Takes one field whatever it holds.
    @inline(__always)
    mutating func skip() {
        guard next <= end else { return fail(at: end) }
        var place = next
        while place < end, place[0] != Byte.comma { place += 1 }
        next = place + 1
    }

    /// Takes the comma or the end that must stand at `place`; else marks the sentence as malformed
    /// and takes the rest of the field.
    @inline(__always)
    mutating func finish(at place: UnsafePointer<UInt8>) -> Bool {
        if place == end || place[0] == Byte.comma {
            next = place + 1
            return true
        }
        fail(at: place)
        return false
    }

    /// Marks the sentence as malformed.
    @inline(__always)
    mutating func fail<Value>() -> Value? {
        isMalformed = true
        return nil
    }

    @inline(__always)
    mutating func fail<Value>(at place: UnsafePointer<UInt8>) -> Value? {
        fail(at: place)
        return nil
    }

    /// Marks the sentence as malformed and takes the rest of the field from `place`.
    @inline(never)
    mutating func fail(at place: UnsafePointer<UInt8>) {
        isMalformed = true
        var place = place
        while place < end, place[0] != Byte.comma { place += 1 }
        next = place + 1
    }
}
