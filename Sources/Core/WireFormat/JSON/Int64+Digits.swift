extension Int64 {
    /// A whole number in digits, with a minus where it is negative; nil for everything else, also for
    /// what is too large.
    init?(digits text: UnsafeBufferPointer<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = isNegative ? text.dropFirst() : text[...]
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            // Downwards, where there is room for one number more.
            let (next, isBeyond) = shifted.subtractingReportingOverflow(digit)
            guard !isTooLarge, !isBeyond else { return nil }
            value = next
        }
        guard isNegative || value > .min else { return nil }
        self = isNegative ? value : -value
    }
}
