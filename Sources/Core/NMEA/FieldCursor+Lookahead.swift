/// What stands next, without taking it unless it is there.
extension FieldCursor {
    /// Takes the next field if it is empty and not the last; whether it did.
    @inline(__always)
    mutating func takeEmpty() -> Bool {
        guard next < end, next[0] == Byte.comma else { return false }
        next += 1
        return true
    }

    /// Whether the next field holds a number of at most three digits and then a point.
    @inline(__always)
    var isAtDecimals: Bool {
        var place = next
        while place < end, place - next < 4, place[0] &- Byte.zero < 10 { place += 1 }
        return place < end && place[0] == Byte.point
    }

    /// Whether the next field is the last one and has at most one character.
    @inline(__always)
    var isAtShortLastField: Bool {
        next >= end || (end - next == 1 && next[0] != Byte.comma)
    }

    /// How many fields are left, empty ones included.
    var fieldsLeft: Int {
        guard next <= end else { return 0 }
        var count = 1
        var place = next
        while place < end {
            if place[0] == Byte.comma { count &+= 1 }
            place += 1
        }
        return count
    }

    /// Whether the next field begins with this character.
    @inline(__always)
    func isAt(_ character: UInt8) -> Bool { next < end && next[0] == character }
}
