import Delivery

/// Answers of 2xx and 3xx that look like success and are none: portals, proxies, other servers,
/// halves. The server has kept nothing of the batch.
public enum FalseReceipt: String, CaseIterable, Sendable {
    case page, pageAsJSON, empty, emptyObject, otherObject, null, list, untyped, plainText
    case otherBatch, withoutBatch, withoutResults, resultsInObject, receiptInList
    case truncated, cutOff, rubbishAfter, tooLarge
    case created, accepted, nonAuthoritative, noContent, resetContent, partialContent, multiStatus
    case multipleChoices, movedPermanently, found, seeOther, notModified, useProxy
    case temporaryRedirect, permanentRedirect
    case resultsForOthers, resultsWithoutStatus, unknownStatus, everythingTwice

    /// The answer to a batch.
    public func answer(to batch: OutgoingBatch) -> HTTPAnswer {
        var receipt = Self.receipt(batch)
        switch self {
        case .page: return Self.page("text/html")
        case .pageAsJSON: return Self.page("application/json")
        case .empty: receipt.body = []
        case .emptyObject: return SimulatedServer.json("{}")
        case .otherObject: return SimulatedServer.json(#"{"status":"ok"}"#)
        case .null: return SimulatedServer.json("null")
        case .list: return SimulatedServer.json("[]")
        case .untyped: receipt.contentType = nil
        case .plainText: receipt.contentType = "text/plain"
        case .otherBatch: return Self.receipt(batch, batchID: batch.batchID + "0")
        case .withoutBatch: receipt.body = Self.replacing("batch_id", "batch", in: receipt)
        case .withoutResults: receipt.body = Self.replacing("results", "result", in: receipt)
        case .resultsInObject:
            return SimulatedServer.json("{\"batch_id\":\"\(batch.batchID)\",\"results\":{}}")
        case .receiptInList: receipt.body = Array("[".utf8) + receipt.body + Array("]".utf8)
        case .truncated: receipt.body.removeLast(2)
        case .cutOff: receipt.isComplete = false
        case .rubbishAfter: receipt.body += Array("}".utf8)
        case .tooLarge:
            receipt.body += [UInt8](repeating: 0x20, count: HTTPAnswer.bodyLimit)
        case .created: receipt.status = 201
        case .accepted: receipt.status = 202
        case .nonAuthoritative: receipt.status = 203
        case .noContent: receipt.status = 204
        case .resetContent: receipt.status = 205
        case .partialContent: receipt.status = 206
        case .multiStatus: receipt.status = 207
        case .multipleChoices: receipt.status = 300
        case .movedPermanently: receipt.status = 301
        case .found: receipt.status = 302
        case .seeOther: receipt.status = 303
        case .notModified: receipt.status = 304
        case .useProxy: receipt.status = 305
        case .temporaryRedirect: receipt.status = 307
        case .permanentRedirect: receipt.status = 308
        case .resultsForOthers: return Self.receipt(batch, suffix: "x")
        case .resultsWithoutStatus: receipt.body = Self.replacing("status", "state", in: receipt)
        case .unknownStatus: return Self.receipt(batch, statuses: ["stored"])
        case .everythingTwice: return Self.receipt(batch, statuses: ["accepted", "rejected"])
        }
        return receipt
    }

    private static func replacing(
        _ name: String, _ other: String, in receipt: HTTPAnswer
    ) -> [UInt8] {
        let parts = receipt.body.split(
            separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
        return Array(
            parts.map { $0.elementsEqual(name.utf8) ? Array(other.utf8) : Array($0) }
                .joined(separator: [UInt8(ascii: "\"")]))
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
