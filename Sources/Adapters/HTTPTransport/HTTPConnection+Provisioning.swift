import Delivery
import WireFormat

extension HTTPConnection {
    /// Characters of a key at most; the server's have 72.
    private static let longestKey = 256

    private struct Claim: Encodable {
        var code: String
        var deviceID: String

        enum CodingKeys: String, CodingKey {
            case code
            case deviceID = "device_id"
        }
    }

    private struct Answer: Decodable {
        var key: String
        var deviceID: WireID

        enum CodingKeys: String, CodingKey {
            case key
            case deviceID = "device_id"
        }
    }

    /// Exchanges a single-use code for a key of the device that these settings name.
    ///
    /// An answer that is lost on the way costs the code: the server gives one key for it.
    public func exchange(code: String) throws(ProvisioningFailure) -> String {
        let claim = Claim(code: code, deviceID: settings.deviceID)
        guard let body = try? WireCoding.encode(claim) else {
            throw ProvisioningFailure("code_unknown", "the code cannot be written as JSON")
        }
        switch perform(HTTPRequest(.post, "/v1/provision", body: body)) {
        case .answered(let answer, _) where answer.status == 201 && answer.isJSON:
            return try key(in: answer)
        case .answered(let answer, _) where answer.status < 400:
            throw ProvisioningFailure(
                ConnectivityState.captivePortal.rawValue,
                "HTTP \(answer.status) from somebody else, not \(settings.server)")
        case .answered(let answer, _): throw ProvisioningFailure(Refusal(answer))
        case .failed(let state, let reason): throw ProvisioningFailure(state.rawValue, reason)
        case .stopped: throw ProvisioningFailure("stopped", "stopped")
        }
    }

    private func key(in answer: HTTPAnswer) throws(ProvisioningFailure) -> String {
        guard answer.isComplete,
            let found = try? WireCoding.decode(Answer.self, from: answer.body),
            found.deviceID.text == settings.deviceID,
            (1...Self.longestKey).contains(found.key.utf8.count),
            found.key.utf8.allSatisfy({ $0 > 32 && $0 < 127 })
        else {
            throw ProvisioningFailure(
                "answer_invalid", "the server's answer holds no key for \(settings.deviceID)")
        }
        return found.key
    }
}

/// Why a code gave no key.
public struct ProvisioningFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable, for programs: what the server says (`code_used`, `code_expired`, `code_unknown`,
    /// `device_mismatch`, ...), a `ConnectivityState`, `answer_invalid` or `stopped`.
    public var code: String
    /// For a person, without the code and without a secret.
    public var message: String
    /// What the server asked to wait, seconds; nil: it did not.
    public var retryAfterSeconds: Double?

    init(_ code: String, _ message: String, retryAfterSeconds: Double? = nil) {
        self.code = code
        self.message = message
        self.retryAfterSeconds = retryAfterSeconds
    }

    init(_ refusal: Refusal) {
        switch (refusal.status, refusal.reason) {
        case (403, "code_used"): self.init("code_used", "the code was used already")
        case (403, "code_expired"): self.init("code_expired", "the code is too old")
        case (403, "code_unknown"):
            self.init("code_unknown", "the server does not know the code")
        case (403, "device_mismatch"):
            self.init("device_mismatch", "the code is for another device")
        case (404, _), (405, _), (410, _):
            self.init(
                ConnectivityState.endpointMismatch.rawValue,
                "the server gives no keys for codes (\(refusal.words)): look at server.url")
        case (429, _), (500...599, _):
            self.init(
                ConnectivityState.serverBusy.rawValue, refusal.words,
                retryAfterSeconds: refusal.retryAfterSeconds)
        default:
            self.init(refusal.reason ?? "refused", "the server refuses: \(refusal.words)")
        }
    }

    public var description: String { message }
}
