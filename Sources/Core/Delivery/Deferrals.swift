import Timekeeping

/// Events that the server does not want yet, each with the time from which it may be sent again.
/// In memory only: after a restart they are simply offered again.
struct Deferrals: Hashable, Sendable {
    private var notBefore: [Int64: Uptime] = [:]

    var count: Int { notBefore.count }
    var keys: Set<Int64> { Set(notBefore.keys) }
    var isFull: Bool { notBefore.count >= UploadPolicy.deferralLimit }
    /// When the first of them may be sent again; nil: there is none.
    var earliest: Uptime? { notBefore.values.min() }

    /// Nil seconds: the server gave no time.
    mutating func put(_ key: Int64, seconds: Double?, at now: Uptime) {
        let asked = seconds.flatMap { $0.isNaN ? nil : $0 } ?? UploadPolicy.defaultDeferralSeconds
        let range = UploadPolicy.deferralRange
        let clamped = min(max(asked, range.lowerBound), range.upperBound)
        notBefore[key] = now.advanced(bySeconds: clamped)
    }

    mutating func expire(at now: Uptime) {
        guard let earliest, earliest <= now else { return }
        notBefore = notBefore.filter { $0.value > now }
    }
}
