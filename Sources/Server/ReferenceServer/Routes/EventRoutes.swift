import Timekeeping
import WebServer
import WireFormat

/// What devices send: batches of events, and heartbeats.
enum EventRoutes {
    static let all = [
        Route("/v1/events/batch", ["POST": .device(batch)]),
        Route("/v1/devices/{id}/heartbeat", ["POST": .device(heartbeat)]),
    ]

    /// Bytes of the body of a heartbeat.
    static let heartbeatLimit = 65_536

    /// The answer is made after `ingest` has returned, which is after the durable commit.
    private static func batch(_ call: Call) throws -> Response {
        let received = try ReceivedBatch(try call.document(), call: call)
        let outcomes = try call.store.ingest(
            received.batch, into: call.workspace, now: call.now)
        let results = received.results(outcomes)
        call.metrics.count(results)
        let revision = try call.store.configuration(of: call.workspace).revision
        return .json(
            try BatchAnswer(
                batchID: received.batch.batchID, serverTime: call.now, configRevision: revision,
                results: results
            ).text())
    }

    private static func heartbeat(_ call: Call) throws -> Response {
        guard call.parameter("id") == call.deviceID else {
            throw RequestProblem(
                403, "device_mismatch", "the path names another device than X-Device-Id")
        }
        let document = try call.document()
        guard document.root.kind == .object else {
            throw RequestProblem.invalid("", "not an object")
        }
        let canonical = document.root.canonical
        guard canonical.count <= heartbeatLimit else {
            throw RequestProblem(
                413, "body_too_large", "a heartbeat is longer than \(heartbeatLimit) bytes")
        }
        var report = call.deviceReport
        report.heartbeat = canonical
        if let queue = document.root.member("queue") {
            let counts = try? WireCoding.decode(EventBatch.Queue.self, from: queue.text)
            report.pending = counts?.pending
            report.dead = counts?.dead
        }
        try call.store.heartbeat(
            report, from: call.deviceID, of: call.workspace, now: call.now)
        return .object([
            ("server_time", .string(call.now.rfc3339)),
            (
                "config_revision",
                .integer(Int64(try call.store.configuration(of: call.workspace).revision))
            ),
        ])
    }
}
