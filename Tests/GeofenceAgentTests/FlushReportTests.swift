import GeofenceAgent
import Testing

@Suite("What a flush says")
struct FlushReportTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var report: FlushReport
        var summary: String
        var remarks: [String]
        var outcome: FlushReport.Outcome

        var testDescription: String { name }

        init(
            _ name: String, _ agent: FlushReport.Agent, _ end: FlushReport.End,
            counts: (acknowledged: Int64, dead: Int64, pending: Int64), server: String,
            reason: String? = nil, says summary: String, _ remarks: String...,
            outcome: FlushReport.Outcome = .left
        ) {
            self.name = name
            report = FlushReport(
                agent: agent, end: end, acknowledged: counts.acknowledged, dead: counts.dead,
                pending: counts.pending, server: server, reason: reason)
            self.summary = summary
            self.remarks = remarks
            self.outcome = outcome
        }
    }

    private static let refused = "the server refused events for good, see `geofenced queue dead`"

    static let cases: [Case] = [
        Case(
            "all of it", .stopped, .empty, counts: (12, 0, 0), server: "online",
            says: "12 sent, 0 left", outcome: .sent),
        Case(
            "there was nothing", .running, .empty, counts: (0, 0, 0), server: "unknown",
            says: "0 sent, 0 left", outcome: .sent),
        Case(
            "all of it, some refused", .running, .empty, counts: (5, 2, 0), server: "online",
            says: "5 sent, 2 refused for good, 0 left", refused, outcome: .refused),
        Case(
            "some of it", .running, .failed, counts: (100, 0, 7), server: "serverBusy",
            reason: "503", says: "100 sent, 7 left", "server serverBusy: 503"),
        Case(
            "no network", .stopped, .failed, counts: (0, 0, 3), server: "noRoute",
            says: "0 sent, 3 left", "server noRoute"),
        Case(
            "a wrong key", .running, .failed, counts: (0, 0, 3), server: "authenticationFailed",
            reason: "401 unknown_key", says: "0 sent, 3 left",
            "server authenticationFailed: 401 unknown_key"),
        Case(
            "the server puts some off", .stopped, .deferred, counts: (1, 0, 2),
            server: "online", reason: "the server puts events off: quota_exceeded",
            says: "1 sent, 2 left",
            "what is left goes later: the server puts events off: quota_exceeded"),
        Case(
            "some are left, and nobody knows why", .stopped, .deferred, counts: (1, 0, 2),
            server: "online", says: "1 sent, 2 left", "what is left goes later"),
        Case(
            "an agent has started after a refusal", .stopped, .handedOver, counts: (0, 1, 9),
            server: "online", says: "0 sent, 1 refused for good, 9 left",
            "the agent has started: it sends by itself", refused, outcome: .refused),
        Case(
            "some are kept for a second offer", .stopped, .deferred, counts: (0, 0, 1),
            server: "online", reason: "1 event was refused alone", says: "0 sent, 1 left",
            "what is left goes later: 1 event was refused alone"),
        Case(
            "no time is left", .running, .timeout, counts: (40, 0, 60), server: "online",
            says: "40 sent, 60 left", "the time is over"),
        Case(
            "no time is left for a server that fails", .stopped, .timeout, counts: (0, 0, 60),
            server: "connectFailed", reason: "refused", says: "0 sent, 60 left",
            "the time is over: refused"),
        Case(
            "an agent has started", .stopped, .handedOver, counts: (3, 0, 9), server: "online",
            says: "3 sent, 9 left", "the agent has started: it sends by itself", outcome: .sent),
        Case(
            "a disk that fails", .stopped, .storage, counts: (3, 1, 9), server: "online",
            reason: "disk I/O error", says: "3 sent, 1 refused for good, 9 left",
            "storage: disk I/O error", refused),
    ]

    @Test("is how much was sent and is left, and why anything is", arguments: cases)
    func words(row: Case) {
        #expect(row.report.summary == row.summary)
        #expect(row.report.remarks == row.remarks)
        #expect(row.report.outcome == row.outcome)
    }

    @Test("has a row for each end")
    func everyEnd() {
        #expect(Set(Self.cases.map(\.report.end)) == Set(FlushReport.End.allCases))
    }
}
