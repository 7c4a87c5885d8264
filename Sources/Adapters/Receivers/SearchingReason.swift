/// The words for a receiver that has no fix yet.
enum SearchingReason {
    /// - Parameters:
    ///   - signal: of the strongest satellite, dB-Hz; nil where it was not said.
    ///   - satellites: in view; nil where it was not said.
    static func text(hasTime: Bool, _ signal: Int?, _ satellites: Int?) -> String {
        var parts = [hasTime ? "searching" : "receiver talks, no time yet"]
        if let signal { parts.append("best \(signal) dB-Hz") }
        if let satellites { parts.append("\(satellites) satellites in view") }
        if (satellites ?? 0) == 0 || (signal ?? 0) == 0 {
            parts.append("check the antenna and its view of the sky")
        }
        return parts.joined(separator: ", ")
    }
}
