extension FieldCursor {
    /// Takes one character.
    @inline(__always)
    mutating func letter() -> UInt8? {
        guard next <= end else { return fail(at: end) }
        let place = next
        if place == end || place[0] == Byte.comma {
            next = place + 1
            return nil
        }
        return finish(at: place + 1) ? place[0] : nil
    }

    /// Takes a field that is either empty or exactly this character.
    @inline(__always)
    mutating func expect(_ character: UInt8) {
        if let found = letter(), found != character { isMalformed = true }
    }

    /// Takes the next field if it is "00", the message number of PUBX,00; whether it did.
    mutating func takeMessageZero() -> Bool {
        guard end - next > 2, next[0] == Byte.zero, next[1] == Byte.zero, next[2] == Byte.comma
        else { return false }
        next += 3
        return true
    }

    /// Takes one hex digit of any case.
    @inline(__always)
    mutating func hexDigit() -> Int? {
        guard let character = letter() else { return nil }
        guard let value = Byte.hexDigit(character) else { return fail() }
        return Int(value)
    }

    /// Takes a field of letters and digits.
    mutating func word() {
        guard next <= end else { return fail(at: end) }
        var place = next
        while Byte.isAlphanumeric(place[0]) { place += 1 }
        _ = finish(at: place)
    }

    /// Takes a field and returns its bytes, which live as long as the sentence.
    mutating func text() -> UnsafeBufferPointer<UInt8> {
        let start = next
        skip()
        return next > start
            ? UnsafeBufferPointer(start: start, count: next - start - 1)
            : UnsafeBufferPointer(start: nil, count: 0)
    }
}
