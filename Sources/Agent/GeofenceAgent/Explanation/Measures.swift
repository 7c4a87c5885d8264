/// Numbers as people read them.
enum Measures {
    /// "12.3 m", "1.25 km"
    static func meters(_ value: Double) -> String {
        abs(value) < 1000 ? "\(decimal(value, 10)) m" : "\(decimal(value / 1000, 100)) km"
    }

    /// "3.5 s", "12 min 5 s"
    static func duration(_ seconds: Double) -> String {
        if seconds < 60 { return "\(decimal(seconds, 10)) s" }
        let whole = Int64(min(seconds, 1e12))
        if whole < 3600 { return "\(whole / 60) min \(whole % 60) s" }
        return "\(whole / 3600) h \(whole % 3600 / 60) min"
    }

    /// "24 h", "20 h 48 min", "12 min 5 s": a duration without parts that are nothing.
    static func span(_ seconds: Double) -> String {
        let whole = Int64(max(0, min(seconds.rounded(), 1e12)))
        let parts = [(whole / 3600, "h"), (whole % 3600 / 60, "min"), (whole % 60, "s")]
        let named = parts.prefix(whole < 3600 ? 3 : 2).filter { $0.0 > 0 }
        return named.isEmpty ? "0 s" : named.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }

    /// "4.2 m inside"
    static func side(_ signedDistance: Double) -> String {
        "\(meters(abs(signedDistance))) \(signedDistance >= 0 ? "inside" : "outside")"
    }

    private static func decimal(_ value: Double, _ scale: Int64) -> String {
        let scaled = Int64((min(abs(value), 1e12) * Double(scale)).rounded())
        let fraction = String(scaled % scale)
        let padding = String(repeating: "0", count: scale == 10 ? 0 : 2 - fraction.count)
        let sign = value < 0 && scaled != 0 ? "-" : ""
        return "\(sign)\(scaled / scale).\(padding)\(fraction)"
    }
}
