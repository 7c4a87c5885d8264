import Delivery

/// Answers that look like success and are none: portals, proxies, other servers, halves. The server
/// has kept nothing of the batch.
public enum FalseReceipt: String, CaseIterable, Sendable {
    case page, pageAsJSON, empty, emptyObject, list, untyped, plainText
    case otherBatch, truncated, cutOff, tooLarge
    case created, accepted, noContent, partialContent, multiStatus
    case movedPermanently, found, seeOther, notModified, temporaryRedirect, permanentRedirect
    case resultsForOthers, unknownStatus, everythingTwice

    /// The answer to a batch.
    public func answer(to batch: OutgoingBatch) -> HTTPAnswer {
        var receipt = Self.receipt(batch)
        switch self {
        case .page: return Self.page("text/html")
        case .pageAsJSON: return Self.page("application/json")
        case .empty: receipt.body = []
        case .emptyObject: return SimulatedServer.json("{}")
        case .list: return SimulatedServer.json("[]")
        case .untyped: receipt.contentType = nil
        case .plainText: receipt.contentType = "text/plain"
        case .otherBatch: return Self.receipt(batch, batchID: batch.batchID + "0")
        case .truncated: receipt.body.removeLast(2)
        case .cutOff: receipt.isComplete = false
        case .tooLarge:
            receipt.body += [UInt8](repeating: 0x20, count: HTTPAnswer.bodyLimit)
        case .created: receipt.status = 201
        case .accepted: receipt.status = 202
        case .noContent: receipt.status = 204
        case .partialContent: receipt.status = 206
        case .multiStatus: receipt.status = 207
        case .movedPermanently: receipt.status = 301
        case .found: receipt.status = 302
        case .seeOther: receipt.status = 303
        case .notModified: receipt.status = 304
        case .temporaryRedirect: receipt.status = 307
        case .permanentRedirect: receipt.status = 308
        case .resultsForOthers: return Self.receipt(batch, suffix: "x")
        case .unknownStatus: return Self.receipt(batch, statuses: ["stored"])
        case .everythingTwice: return Self.receipt(batch, statuses: ["accepted", "rejected"])
        }
        return receipt
    }

    /// What a network that wants a log-in first answers to everything.
    public static func page(_ type: String) -> HTTPAnswer {
        HTTPAnswer(
            status: 200, contentType: type,
            body: Array("<html><body>Welcome! Please log in.</body></html>".utf8))
    }

    private static func receipt(
        _ batch: OutgoingBatch, batchID: String? = nil, suffix: String = "",
        statuses: [String] = ["accepted"]
    ) -> HTTPAnswer {
        let results = batch.events.flatMap { event in
            statuses.map {
                "{\"client_event_id\":\"\(event.clientEventID)\(suffix)\",\"status\":\"\($0)\"}"
            }
        }
        return SimulatedServer.receipt(batchID ?? batch.batchID, results)
    }
}
