import Delivery
import GeofenceAgent
import HTTPTransport
import LinuxSystem
import Timekeeping
import WireFormat

/// Goes the way to the server step by step; each step has its own time-out.
struct ServerProbe {
    var settings: TransportSettings
    /// Nil: there is no key to try.
    var hasKey: Bool

    private static let lookupMilliseconds = 3000
    private static let connectMilliseconds = 3000
    private static let answerSeconds = 4.0
    private static let authorisationSeconds = 3.0
    /// Addresses of the server that are tried, at least one of each family; they share the time.
    private static let addressLimit = 2

    func examine() -> DoctorFacts.Server {
        let (name, addresses) = lookUp()
        let connection = connect(addresses)
        var health = DoctorFacts.Answer.notTried(reason: "no connection to the server")
        var authorisation = health
        if case .connected = connection {
            let http = HTTPConnection(settings: settings, timekeeper: SystemTimekeeper())
            health = ask(http, "/v1/healthz", Self.answerSeconds)
            authorisation = authorise(http, after: health)
        }
        return DoctorFacts.Server(
            url: settings.server.text, isEncrypted: settings.server.isEncrypted, route: route(),
            name: name, connection: connection, health: health, authorisation: authorisation)
    }

    private func route() -> DoctorFacts.Route {
        // Plain http is only allowed on loopback.
        guard settings.server.isEncrypted else { return .notNeeded }
        do throws(SystemError) {
            let interfaces = try DefaultRoutes.interfaces()
            return interfaces.isEmpty ? .absent : .present(interfaces: interfaces)
        } catch {
            return .unknown(reason: error.description)
        }
    }

    private func lookUp() -> (DoctorFacts.Name, [NetworkAddress]) {
        let host = settings.server.host
        let start = MonotonicClock.milliseconds
        let outcome = NameLookup.addresses(
            of: host, port: settings.server.port, milliseconds: Self.lookupMilliseconds)
        switch outcome {
        case .found(let addresses):
            if Self.isAddress(host) { return (.literal(host: host), addresses) }
            let taken = Int(clamping: MonotonicClock.milliseconds - start)
            let texts = addresses.map(\.description)
            return (.resolved(host: host, addresses: texts, milliseconds: taken), addresses)
        case .failed(let reason): return (.failed(host: host, reason: reason), [])
        case .timedOut:
            return (.timedOut(host: host, seconds: Self.lookupMilliseconds / 1000), [])
        }
    }

    private static func isAddress(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
    }

    private func connect(_ addresses: [NetworkAddress]) -> DoctorFacts.Connection {
        var last = DoctorFacts.Connection.notTried(reason: "the server's address is not known")
        let tried = NetworkAddress.ofEachFamily(addresses, limit: Self.addressLimit)
        for address in tried {
            let start = MonotonicClock.milliseconds
            let patience = Self.connectMilliseconds / max(1, tried.count)
            switch address.tryConnection(milliseconds: patience) {
            case .connected:
                return .connected(
                    address: address.description,
                    milliseconds: Int(clamping: MonotonicClock.milliseconds - start))
            case .refused: last = .refused(address: address.description)
            case .timedOut:
                last = .timedOut(address: address.description, milliseconds: patience)
            case .failed(let reason):
                last = .failed(address: address.description, reason: reason)
            }
        }
        return last
    }

    private func authorise(
        _ http: HTTPConnection, after health: DoctorFacts.Answer
    ) -> DoctorFacts.Answer {
        guard hasKey else { return .notTried(reason: "there is no usable key") }
        switch health {
        case .answered: return ask(http, "/v1/config", Self.authorisationSeconds)
        case .failed, .notTried: return .notTried(reason: "the server does not answer")
        }
    }

    private func ask(_ http: HTTPConnection, _ path: String, _ seconds: Double)
        -> DoctorFacts.Answer
    {
        let start = MonotonicClock.milliseconds
        switch http.perform(HTTPRequest(.get, path, timeoutSeconds: seconds)) {
        case .answered(let answer, _):
            return .answered(
                status: answer.status, isJSON: answer.isJSON && Self.isDocument(answer.body),
                code: Refusal(answer).reason,
                milliseconds: Int(clamping: MonotonicClock.milliseconds - start))
        case .failed(let state, let reason): return .failed(state, reason: reason)
        case .stopped: return .failed(.serverBusy, reason: "stopped")
        }
    }

    private static func isDocument(_ body: [UInt8]) -> Bool { (try? JSONDocument(body)) != nil }
}
