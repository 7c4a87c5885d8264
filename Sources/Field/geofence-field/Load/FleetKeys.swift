import CommandLineTool
import Delivery
import FieldTools
import HTTPTransport
import LinuxSystem
import Synchronization
import WireFormat

/// A key for each device of a fleet, by the way that real devices get theirs: an administrator issues
/// a single-use code, the device exchanges it.
final class FleetKeys: Sendable {
    /// Tries of one device, each after what the server asks to wait.
    private static let tries = 20

    private let adminKey: String
    private let state: Mutex<State>

    private struct State {
        var next = 0
        var keys: [String?]
        var failure: String?
    }

    init(devices: Int, adminKey: String) {
        self.adminKey = adminKey
        state = Mutex(State(keys: [String?](repeating: nil, count: devices)))
    }

    /// How many there are.
    var count: Int { state.withLock { $0.keys.count { $0 != nil } } }

    /// Throws why there is not one for each device.
    func all() throws(CommandFailure) -> [String] {
        let (keys, failure) = state.withLock { ($0.keys.compactMap { $0 }, $0.failure) }
        if let failure { throw CommandFailure("provisioning: \(failure)") }
        return keys
    }

    /// Gets keys until all have theirs or one cannot get one; for a thread of its own.
    func provision(on connection: HTTPConnection) {
        while let index = take() {
            do {
                let key = try key(for: LoadPlan.deviceID(index), on: connection)
                state.withLock { $0.keys[index] = key }
            } catch {
                state.withLock { $0.failure = error.description }
                return
            }
        }
    }

    private func take() -> Int? {
        state.withLock { state in
            guard state.failure == nil, state.next < state.keys.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func key(
        for device: String, on connection: HTTPConnection
    ) throws(CommandFailure) -> String {
        var reason = ""
        for _ in 0..<Self.tries {
            do throws(Delayed) {
                let code = try code(for: device, on: connection)
                do throws(ProvisioningFailure) {
                    return try connection.speaking(for: device, key: "").exchange(code: code)
                } catch {
                    throw Delayed(reason: error.message, seconds: error.retryAfterSeconds)
                }
            } catch {
                guard let seconds = error.seconds else { throw CommandFailure(error.reason) }
                reason = error.reason
                ElapsedClock.sleep(milliseconds: Int(min(max(seconds, 0.1), 60) * 1000))
            }
        }
        throw CommandFailure("\(device): \(reason)")
    }

    /// It did not work; nil: and will not.
    private struct Delayed: Error {
        var reason: String
        var seconds: Double?
    }

    private struct Code: Decodable {
        var code: String
    }

    private func code(for device: String, on connection: HTTPConnection) throws(Delayed) -> String {
        let outcome = connection.speaking(for: device, key: adminKey).perform(
            HTTPRequest(
                .post, "/v1/admin/provision-codes",
                body: Array("{\"device_id\":\"\(device)\"}".utf8)))
        switch outcome {
        case .answered(let answer, _) where answer.status == 201:
            guard let found = try? WireCoding.decode(Code.self, from: answer.body) else {
                throw Delayed(reason: "the answer holds no code")
            }
            return found.code
        case .answered(let answer, _):
            let refusal = Refusal(answer)
            throw Delayed(reason: refusal.words, seconds: refusal.retryAfterSeconds)
        case .failed(_, let reason): throw Delayed(reason: reason)
        case .stopped: throw Delayed(reason: "stopped")
        }
    }
}
