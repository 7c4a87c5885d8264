import Synchronization
import WireFormat

/// What the server counts since its start, as `/metrics` tells it (Prometheus text format 0.0.4).
///
/// No workspace, device or place is named: whoever may look at the server's load is not thereby one
/// who may look at its customers.
final class ServerMetrics: Sendable {
    private let state = Mutex(State())

    private struct State {
        var answers: [Int: Int] = [:]
        var seconds = 0.0
        var results: [String: Int] = [:]
    }

    func count(status: Int, seconds: Double) {
        state.withLock { state in
            state.answers[status, default: 0] += 1
            state.seconds += seconds
        }
    }

    func count(_ results: [BatchAnswer.Result]) {
        state.withLock { state in
            for result in results { state.results[result.status.rawValue, default: 0] += 1 }
        }
    }

    var text: String {
        let state = state.withLock { $0 }
        var lines = [
            "# HELP geofence_server_answers_total Requests that were answered.",
            "# TYPE geofence_server_answers_total counter",
        ]
        for (status, count) in state.answers.sorted(by: { $0.key < $1.key }) {
            lines.append("geofence_server_answers_total{status=\"\(status)\"} \(count)")
        }
        lines += [
            "# HELP geofence_server_answer_seconds_total Time that making the answers took.",
            "# TYPE geofence_server_answer_seconds_total counter",
            "geofence_server_answer_seconds_total \(state.seconds)",
            "# HELP geofence_server_events_total Events of batches, by their result.",
            "# TYPE geofence_server_events_total counter",
        ]
        for status in ["accepted", "duplicate", "rejected", "deferred"] {
            lines.append(
                "geofence_server_events_total{result=\"\(status)\"} \(state.results[status] ?? 0)")
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
