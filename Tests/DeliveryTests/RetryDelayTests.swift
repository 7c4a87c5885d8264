import Delivery
import Testing
import Timekeeping

@Suite("The delay after a failure")
struct RetryDelayTests {
    @Test(
        "is drawn from zero to base times two to the failures, at most the cap, at least a second",
        arguments: [
            (0, 0.0, 1.0), (0, 0.75, 1.5), (1, 0.5, 2.0), (2, 0.5, 4.0), (3, 1.0, 16.0),
            (7, 1.0, 256.0), (8, 1.0, 300.0), (20, 0.5, 150.0), (21, 1.0, 300.0),
            (1000, 0.001, 1.0),
        ])
    func range(failures: Int, random: Double, expected: Double) {
        var delay = RetryDelay()
        for _ in 0..<failures { _ = delay.failed(random: 0.5) }
        #expect(delay.failed(random: random) == expected)
        #expect(delay.failures == failures + 1)
    }

    @Test("stays within its bounds for a million failures in a row")
    func saturation() {
        var delay = RetryDelay()
        let first = (0..<8).map { _ in delay.failed(random: 0.999_999) }
        #expect(first.allSatisfy { $0 < 300 })
        // Not above the cap, and not back to the beginning where a power of two overflows.
        let outside = (8..<1_000_000).filter { _ in
            !(299...300).contains(delay.failed(random: 0.999_999))
        }
        #expect(outside.isEmpty)
        #expect(delay.failures == 1_000_000)
        delay.reset()
        #expect(delay.failed(random: 0.9) < 2)
    }

    @Test(
        "is not below what the server asked for, held to a second and an hour, plus a tenth",
        arguments: [
            (0.0, 0.0, 1.0), (-5, 0.0, 1.0), (120, 0.0, 120.0), (120, 1.0, 132.0),
            (86_400, 0.0, 3600.0), (86_400, 0.5, 3780.0), (.infinity, 0.0, 3600.0),
            (.nan, 0.0, 1.0),
        ] as [(Double, Double, Double)])
    func retryAfter(asked: Double, random: Double, expected: Double) {
        var delay = RetryDelay()
        let seconds = delay.failed(random: random, retryAfterSeconds: asked)
        #expect(abs(seconds - expected) < 1e-9)
    }

    @Test("is not shortened by a small Retry-After")
    func smallRetryAfter() {
        var delay = RetryDelay()
        for _ in 0..<9 { _ = delay.failed(random: 0) }
        #expect(delay.failed(random: 1, retryAfterSeconds: 2) == 300)
    }

    @Test(
        "takes a cap from the configuration, but never more than 15 minutes",
        arguments: [(60.0, 60.0), (900, 900), (1e9, 900), (0, 1), (-3, 1)] as [(Double, Double)])
    func cap(asked: Double, expected: Double) {
        var delay = RetryDelay(capSeconds: asked)
        for _ in 0..<30 { _ = delay.failed(random: 0) }
        #expect(delay.failed(random: 1) == expected)
    }

    @Test("survives random numbers that are none", arguments: [Double.nan, .infinity, -1, 7])
    func badRandom(value: Double) {
        var delay = RetryDelay()
        let seconds = delay.failed(random: value)
        #expect(seconds >= 1 && seconds <= 2)
    }
}

@Suite("Retry-After")
struct RetryAfterTests {
    static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    @Test(
        "is seconds, or a date relative to the answer's own date",
        arguments: [
            ("0", nil, 0.0), ("120", nil, 120), (" 7 ", date, 7),
            ("4000000000", nil, 4e9), ("Sun, 06 Nov 1994 08:50:37 GMT", date, 60),
            ("Sunday, 06-Nov-94 08:50:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", 60),
            ("Sun Nov  6 08:51:37 1994", date, 120), ("Sun, 06 Nov 1994 08:00:00 GMT", date, 0),
            ("Mon, 07 Nov 1994 08:49:37 GMT", date, 86_400),
        ] as [(String, String?, Double)])
    func valid(value: String, date: String?, expected: Double) {
        #expect(RetryAfter.seconds(value, date: date) == expected)
    }

    @Test(
        "is nothing when it cannot be read",
        arguments: [
            ("", nil), (" ", nil), ("-1", nil), ("1 2", nil), ("soon", date), ("1.5", nil),
            ("12x", nil),
            ("Sun, 06 Nov 1994 08:50:37 GMT", nil), ("Sun, 06 Nov 1994 08:50:37 GMT", "yesterday"),
            ("Sun, 32 Nov 1994 08:50:37 GMT", date), ("Sun, 06 Nov 1994 25:50:37 GMT", date),
            ("Sun, 06 Foo 1994 08:50:37 GMT", date), ("Sun, 06 Nov 1994 08:50 GMT", date),
            ("Sun, 06 Nov 1994 08:50:37 CET", date), ("Sun, +6 Nov 1994 08:50:37 GMT", date),
        ] as [(String, String?)])
    func invalid(value: String, date: String?) {
        #expect(RetryAfter.seconds(value, date: date) == nil)
    }
}
