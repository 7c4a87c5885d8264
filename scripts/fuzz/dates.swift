// HTTP dates and Retry-After: any text, and every form of any moment.
import Delivery
import Timekeeping

/// A date is a moment of a calendar year of four digits, and its standard form reads as the same one.
func date(_ text: String) -> UTCTime? {
    guard let time = UTCTime(httpDate: text) else { return nil }
    demand(
        (-62_200_000_000_000...253_402_300_900_000).contains(time.millisecondsSince1970),
        "a year of five digits")
    demand(UTCTime(httpDate: " \t" + text + "  ") == time, "blanks around a date")
    return time
}

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzDates(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let parts = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let then = date(parts[0])
    let now = parts.count > 1 ? parts[1] : nil
    guard let seconds = RetryAfter.seconds(parts[0], date: now) else { return 0 }
    demand(seconds >= 0 && seconds.isFinite, "a wait that is none")
    if let then, let now = now.flatMap(date) {
        demand(seconds == max(0, then.seconds(since: now)), "another wait than the dates say")
    }
    var delay = RetryDelay()
    for random in [0, 0.5, 0.999] {
        let wait = delay.failed(random: random, retryAfterSeconds: seconds)
        demand((1...3960).contains(wait), "a delay out of bounds")
        demand(wait >= min(seconds, 3600), "a delay below what was asked for")
    }
    return 0
}
