import Delivery
import Geofencing
import Testing
import WireFormat

@Suite("What a server says of a batch")
struct ServerWordsTests {
    private func answer(_ status: Int, _ body: String) -> SendOutcome {
        SendOutcome(
            HTTPAnswer(status: status, contentType: "application/json", body: Array(body.utf8)),
            batchID: "b")
    }

    @Test("the code of a deferral is kept, short and on one line")
    func deferral() {
        let long = "quota_exceeded\\n" + String(repeating: "x", count: 500)
        let outcome = answer(
            200,
            """
            {"batch_id": "b", "results": [
              {"client_event_id": "1", "status": "deferred", "code": "trial_over", "retry_after_s": 9},
              {"client_event_id": "2", "status": "deferred", "code": "\(long)"},
              {"client_event_id": "3", "status": "deferred"}]}
            """)
        guard case .receipt(let receipt) = outcome else {
            Issue.record("no receipt: \(outcome)")
            return
        }
        #expect(
            receipt.results["1"]?.status == .deferred(retryAfterSeconds: 9, code: "trial_over"))
        #expect(receipt.results["3"]?.status == .deferred(retryAfterSeconds: nil))
        guard case .deferred(nil, let code?) = receipt.results["2"]?.status else {
            Issue.record("no code")
            return
        }
        #expect(code.unicodeScalars.count == 80 && code.hasPrefix("quota_exceeded x"))
    }

    @Test(
        "the detail of a problem is kept, unless it may name a position",
        arguments: [(401, true), (403, true), (429, true), (503, true), (400, false), (422, false)])
    func problem(status: Int, isKept: Bool) {
        let outcome = answer(
            status, #"{"code": "device_limit", "detail": "1,000 devices\tare in use"}"#)
        guard case .refused(let refusal) = outcome else {
            Issue.record("not refused: \(outcome)")
            return
        }
        #expect(refusal.words == "HTTP \(status): device_limit")
        #expect(
            refusal.explanation
                == refusal.words + (isKept ? " (1,000 devices are in use)" : ""))
    }

    @Test("the cap of the backoff goes to the agent and back")
    func backoffCap() throws {
        let config = try WireCoding.decode(
            WireConfig.self, from: Array(#"{"upload": {"backoff_cap_s": 900}}"#.utf8))
        #expect(config.remoteConfiguration.uploadBackoffCapSeconds == 900)
        #expect(WireConfig(config.remoteConfiguration).upload == config.upload)
        for (asked, given) in [(900.0, 900.0), (5, 60), (1e9, 900), (.nan, 300)] {
            #expect(UploadPolicy(backoffCapSeconds: asked).backoffCapSeconds == given)
        }
    }
}
