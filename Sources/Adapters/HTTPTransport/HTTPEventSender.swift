import Delivery
import Timekeeping
import WireFormat

/// Uploads batches by `POST /v1/events/batch`, and heartbeats.
public final class HTTPEventSender: EventSender, HeartbeatSender {
    private let connection: HTTPConnection
    private let timekeeper: any Timekeeper

    public init(_ connection: HTTPConnection, timekeeper: any Timekeeper) {
        self.connection = connection
        self.timekeeper = timekeeper
    }

    public func send(_ batch: OutgoingBatch) -> SendOutcome {
        let body: [UInt8]
        do {
            body = try EventBatch.encode(
                batch, deviceID: connection.settings.deviceID,
                sentAt: timekeeper.wallClock.time)
        } catch {
            return .unreachable(.serverBusy, reason: "the batch cannot be written: \(error)")
        }
        switch connection.perform(HTTPRequest(.post, "/v1/events/batch", body: body)) {
        case .answered(let answer, _):
            let outcome = SendOutcome(answer, batchID: batch.batchID)
            guard case .refused(let refusal) = outcome else { return outcome }
            return .refused(connection.settings.explained(refusal))
        case .failed(let state, let reason): return .unreachable(state, reason: reason)
        case .stopped: return .cancelled
        }
    }

    public func sendHeartbeat(_ body: [UInt8]) -> HeartbeatOutcome {
        let path = "/v1/devices/\(connection.settings.deviceID)/heartbeat"
        switch connection.perform(HTTPRequest(.post, path, body: body)) {
        case .answered(let answer, _):
            let outcome = HeartbeatOutcome(answer)
            guard case .refused(let refusal) = outcome else { return outcome }
            return .refused(connection.settings.explained(refusal))
        case .failed(let state, let reason): return .unreachable(state, reason: reason)
        case .stopped: return .cancelled
        }
    }
}
