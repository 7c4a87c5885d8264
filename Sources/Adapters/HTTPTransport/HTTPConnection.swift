import Delivery
import Synchronization
import Timekeeping

/// A connection to the server that any thread may use, one request at a time: the next caller waits
/// for the running request. It is the base of the sender and the fence source, and serves what has
/// no port: heartbeat, provisioning, the health check.
public final class HTTPConnection: Sendable {
    public let settings: TransportSettings
    private let control: TransferControl
    private let client: SharedClient

    private final class SharedClient: Sendable {
        let client: Mutex<CurlClient>

        init(_ client: sending CurlClient) {
            self.client = Mutex(client)
        }
    }

    /// `verificationClock` is asked before each request for the time at which certificates are
    /// judged.
    public init(
        settings: TransportSettings, timekeeper: any Timekeeper,
        verificationClock: @escaping @Sendable () -> VerificationClock = { .system }
    ) {
        self.settings = settings
        let control = TransferControl()
        self.control = control
        client = SharedClient(
            CurlClient(
                settings: settings, control: control, timekeeper: timekeeper,
                verificationClock: verificationClock))
    }

    private init(_ other: HTTPConnection, settings: TransportSettings) {
        self.settings = settings
        control = other.control
        client = other.client
    }

    /// The same connection in the name of another device: what a simulated fleet shares.
    public func speaking(for deviceID: String, key: String) -> HTTPConnection {
        var settings = settings
        settings.deviceID = deviceID
        settings.apiKey = key
        return HTTPConnection(self, settings: settings)
    }

    /// Blocks until the answer, the failure or `stop`; call it off the cooperative pool.
    public func perform(_ request: HTTPRequest) -> HTTPOutcome {
        client.client.withLock { $0.perform(request, as: settings) }
    }

    /// The running request ends within a second, and none begins any more.
    public func stop() { control.stop() }

    /// The next request begins with a new connection and a new name look-up.
    public func networkChanged() { control.networkChanged() }

    /// Asks the server whether it is there. It needs no key.
    public func checkHealth() -> (state: ConnectivityState, reason: String) {
        switch perform(HTTPRequest(.get, "/v1/healthz", timeoutSeconds: 10)) {
        case .answered(let answer, _) where answer.status == 200 && answer.isJSON:
            (.online, "HTTP 200")
        case .answered(let answer, _) where answer.status >= 500:
            (.serverBusy, "HTTP \(answer.status)")
        case .answered(let answer, _) where [404, 405, 410].contains(answer.status):
            (.endpointMismatch, "HTTP \(answer.status)")
        case .answered(let answer, _):
            (.captivePortal, "HTTP \(answer.status), \(answer.contentType ?? "no content type")")
        case .failed(let state, let reason): (state, reason)
        case .stopped: (.serverBusy, "stopped")
        }
    }
}
