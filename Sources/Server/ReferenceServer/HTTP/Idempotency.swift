import Cryptography
import Synchronization
import Timekeeping
import WebServer

/// `Idempotency-Key` of admin POSTs: the same request twice is done once.
///
/// A key is reserved before the request is run and completed with its answer after: a server that
/// was killed in between knows that something may have been done, and does not do it again.
final class Idempotency: Sendable {
    /// Hours for which an answer is kept.
    static let keptHours: Int64 = 24
    /// Answers with a secret, which are not written to disk.
    static let secretLimit = 1_000
    /// Bytes of an answer that is kept.
    static let answerLimit = 1_048_576

    private let store: any ServerStore
    private let state = Mutex(State())

    private struct State {
        var running: Set<String> = []
        var secrets: [String: Response] = [:]
    }

    init(store: any ServerStore) {
        self.store = store
    }

    /// Runs a request under its key. `isSecret`: the answer must not be kept on disk.
    func run(
        _ call: Call, key: String, isSecret: Bool, _ body: () throws -> Response
    ) throws -> Response {
        guard (1...255).contains(key.utf8.count),
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw RequestProblem(
                400, "idempotency_key_invalid",
                "Idempotency-Key must be 1 to 255 visible ASCII characters")
        }
        let name = "\(call.workspace) \(key)"
        guard state.withLock({ $0.running.insert(name).inserted }) else {
            throw RequestProblem(
                409, "idempotency_in_progress", "the same key is being worked on",
                headers: ["Retry-After": "1"])
        }
        defer { state.withLock { _ = $0.running.remove(name) } }
        let hash = try Self.hash(of: call.request, body: call.inflated())
        if let known = try store.reserveAnswer(key, hash: hash, in: call.workspace, now: call.now) {
            return try replay(known, name, hash)
        }
        return try perform(call, key, name, isSecret, body)
    }

    private func replay(
        _ known: KeptAnswer, _ name: String, _ hash: [UInt8]
    ) throws -> Response {
        guard known.hash == hash else {
            throw RequestProblem(
                422, "idempotency_key_reused", "the same key came with another request")
        }
        if let response = known.response ?? state.withLock({ $0.secrets[name] }) {
            return response
        }
        throw RequestProblem(
            409, "idempotency_answer_gone",
            "the request was begun, and its answer is not known any more")
    }

    private func perform(
        _ call: Call, _ key: String, _ name: String, _ isSecret: Bool,
        _ body: () throws -> Response
    ) throws -> Response {
        let response: Response
        do {
            response = try body()
        } catch {
            // It was refused as a whole: the same key may try again.
            try store.forgetAnswer(key, in: call.workspace)
            throw error
        }
        if isSecret {
            state.withLock { state in
                if state.secrets.count >= Self.secretLimit { state.secrets.removeAll() }
                state.secrets[name] = response
            }
        } else if response.body.count <= Self.answerLimit {
            try store.keepAnswer(response, for: key, in: call.workspace)
        }
        return response
    }

    /// `body`: without its transport coding, as a retry may come with another one.
    static func hash(of request: Request, body: [UInt8]) throws -> [UInt8] {
        var hash = try SHA256()
        try hash.update(Array("\(request.method) \(request.path)\n".utf8))
        try hash.update(body)
        return try hash.finish()
    }
}

/// What is kept of a request with an `Idempotency-Key`.
public struct KeptAnswer: Sendable {
    /// Of method, path and decoded body.
    public var hash: [UInt8]
    /// Nil: it was begun, and is not known to have ended.
    public var response: Response?
}
