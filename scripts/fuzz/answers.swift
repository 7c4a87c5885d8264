// What a server, or whoever answers in its place, may send: receipts, heartbeats, fences, with any headers.
import Campaigns
import Delivery
import Geodesy
import Geofencing
import Timekeeping
import WireFormat

let batch = OutgoingBatch(
    batchID: "b-1",
    events: (1...3).map {
        QueuedEvent(
            key: $0, clientEventID: "e-\($0)", position: QueuePosition(epoch: "e", sequence: $0),
            kind: .enter, payload: Array("{}".utf8))
    },
    counts: QueueCounts(enqueued: 3, acknowledged: 0, pending: 3, dead: 0, evicted: 0),
    clockAnchors: [])

/// The agent's own path from an answer to what leaves the queue.
func upload(_ answer: HTTPAnswer) {
    let outcome = SendOutcome(answer, batchID: batch.batchID)
    var planner = UploadPlanner(batchPrefix: "b")
    let now = Uptime(milliseconds: 0)
    let conclusion = planner.finished(outcome, of: batch, at: now, random: 0.5)
    let settled = conclusion.settlements.map(\.key)
    demand(Set(settled).count == settled.count, "settled twice")
    demand(Set(settled).isSubset(of: [1, 2, 3]), "settled what was not sent")
    if answer.status != 200 || !answer.isJSON || !answer.isComplete {
        demand(settled.isEmpty, "settled without a receipt")
    }
    for settlement in conclusion.settlements where settlement.fate == .acknowledged {
        guard case .receipt(let receipt) = outcome else { fatalError("acknowledged by no receipt") }
        let result = receipt.results["e-\(settlement.key)"]?.status
        demand(result == .accepted || result == .duplicate, "acknowledged without a word")
    }
    // Whatever it says, there is another try within a day, and none at once after a failure.
    if case .wait(let until) = planner.step(at: now, pendingCount: 3) {
        demand((1000...86_500_000).contains(until.milliseconds), "a wait out of bounds")
    }
}

func heartbeat(_ answer: HTTPAnswer) {
    if case .heard = HeartbeatOutcome(answer) {
        demand(answer.status == 200 && answer.isJSON, "heard without an answer")
    }
}

func fences(_ body: [UInt8]) {
    guard let document = read({ try WireCoding.decode(NearestAnswer.self, from: body) }),
        let answer = read({ try document.fenceAnswer(document: body, entityTag: nil) })
    else { return }
    for fence in answer.fences {
        guard case .circle(let center, let radius) = fence.shape else { continue }
        demand(abs(center.latitude) <= 90 && abs(center.longitude) <= 180, "not on Earth")
        demand(radius > 0 && radius.isFinite, "a radius")
    }
    _ = NoticeSet(document.fences)
    // What is kept is read again at the next start.
    demand(
        read { try WireCoding.decode(NearestAnswer.self, from: WireCoding.encode(document)) }
            != nil, "an answer that cannot be read again")
}

/// The bytes up to the first line feed are headers, separated by a vertical bar.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAnswers(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let end = bytes.firstIndex(of: 0x0A) else { return 0 }
    let headers = bytes[..<end].split(separator: 0x7C, omittingEmptySubsequences: false)
        .map { String(decoding: $0, as: UTF8.self) }
    let body = Array(bytes[(end + 1)...])
    let status = headers.first.flatMap { Int($0) } ?? 200
    var answer = HTTPAnswer(
        status: (100...999).contains(status) ? status : 200,
        contentType: headers.count > 1 ? headers[1] : "application/json",
        retryAfter: headers.count > 2 ? headers[2] : nil,
        date: headers.count > 3 ? headers[3] : nil, body: body)
    upload(answer)
    heartbeat(answer)
    answer.isComplete = false
    upload(answer)
    fences(body)
    return 0
}
