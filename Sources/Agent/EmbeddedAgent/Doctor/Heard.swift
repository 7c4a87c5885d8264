import GeofenceAgent

/// What a listening doctor hears.
struct Heard: Hashable, Sendable {
    var data: DoctorFacts.Data
    var fix: DoctorFacts.Fix

    static func nothing(_ reason: String) -> Heard {
        Heard(data: .notHeard(reason: reason), fix: .unknown(reason: reason))
    }

    init(data: DoctorFacts.Data, fix: DoctorFacts.Fix) {
        self.data = data
        self.fix = fix
    }

    /// From the running agent.
    init(_ status: AgentStatus) {
        let receiver = status.receiver
        if receiver.device == nil {
            data = .notHeard(reason: receiver.reason)
        } else if receiver.acceptedSentences > 0, receiver.bytesPerSecond > 0 {
            data = .sentences(
                accepted: receiver.acceptedSentences,
                detail: "accepted, \(receiver.rejectedSentences) rejected, "
                    + "\(Int(receiver.bytesPerSecond.rounded())) bytes/s")
        } else if receiver.bytesPerSecond > 0 {
            data = .bytesOnly(detail: receiver.reason)
        } else {
            data = .silent(detail: receiver.reason)
        }
        if let age = status.fix.ageSeconds {
            let accuracy = status.fix.accuracyMeters.map { "±\(Int($0.rounded())) m" }
            fix = .fix(ageSeconds: age, detail: accuracy ?? "")
        } else {
            fix = .none(detail: receiver.reason.isEmpty ? "none yet" : receiver.reason)
        }
    }
}
