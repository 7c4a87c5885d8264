import Timekeeping

/// The `Retry-After` header (RFC 9110 section 10.2.3).
public enum RetryAfter {
    /// Seconds that the server asks to wait, not yet clamped; nil: not readable.
    ///
    /// A date is taken relative to the answer's own `Date`, since the device's clock may be wrong;
    /// without that header it means nothing.
    public static func seconds(_ value: String, date: String?) -> Double? {
        let text = value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")[...]
        if let first = text.utf8.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
            return delaySeconds(text)
        }
        guard let then = UTCTime(httpDate: String(text)),
            let now = date.flatMap({ UTCTime(httpDate: $0) })
        else { return nil }
        return max(0, then.seconds(since: now))
    }

    private static func delaySeconds(_ text: Substring) -> Double? {
        var value = 0.0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                value = value * 10 + Double(byte - UInt8(ascii: "0"))
            default: return nil
            }
        }
        return value.isFinite ? value : nil
    }
}
