/// The time of a sentence, without a date.
struct TimeOfDay: Hashable {
    /// 0 ..< 86,400,000; decimals past the third are cut.
    var milliseconds: Int32
    /// Written as 23:59:60: the milliseconds are those of the day after the sentence's date.
    var isLeapSecond = false

    static let millisecondsPerDay: Int32 = 86_400_000
    /// Sentences of one epoch differ by less: a receiver that counts hundredths of a second means
    /// two epochs by 43.99 and 44.00 (gpsd's log sl869).
    static let toleranceMilliseconds: Int32 = 10

    /// Whether both name the same epoch, midnight between them or not.
    @inline(__always)
    func matches(_ other: TimeOfDay) -> Bool {
        let distance = abs(milliseconds &- other.milliseconds)
        return distance < Self.toleranceMilliseconds
            || distance > Self.millisecondsPerDay &- Self.toleranceMilliseconds
    }

    /// Milliseconds from this time to `later`, 0 ..< 86,400,000.
    func milliseconds(to later: TimeOfDay) -> Int32 {
        let difference = later.milliseconds &- milliseconds
        return difference < 0 ? difference &+ Self.millisecondsPerDay : difference
    }
}
