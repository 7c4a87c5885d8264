import Delivery
import Timekeeping

/// Where the server is and how this device shows who it is.
public struct TransportSettings: Sendable {
    public var server: ServerURL
    /// The secret after `Bearer`; empty: none is sent.
    public var apiKey: String
    /// Where the secret was read, for messages; nil: not from a file.
    public var keyFile: String?
    public var deviceID: String
    /// The member on whose behalf visits are submitted; nil: none.
    public var userID: String?
    /// PEM file with the authorities to trust instead of the system's; nil: the system's.
    public var authorityFile: String?
    /// PEM files for mutual TLS; nil: none.
    public var clientCertificateFile: String?
    public var clientKeyFile: String?
    /// "1.2"
    public var version: String
    /// "aarch64"
    public var architecture: String

    public init(
        server: ServerURL, apiKey: String, keyFile: String? = nil, deviceID: String,
        userID: String? = nil,
        authorityFile: String? = nil, clientCertificateFile: String? = nil,
        clientKeyFile: String? = nil, version: String, architecture: String
    ) {
        self.server = server
        self.apiKey = apiKey
        self.keyFile = keyFile
        self.deviceID = deviceID
        self.userID = userID
        self.authorityFile = authorityFile
        self.clientCertificateFile = clientCertificateFile
        self.clientKeyFile = clientKeyFile
        self.version = version
        self.architecture = architecture
    }

    /// A refusal of the key names the file that a person has to look at.
    func explained(_ refusal: Refusal) -> Refusal {
        guard [401, 403].contains(refusal.status), let keyFile else { return refusal }
        var explained = refusal
        explained.reason = "\(refusal.reason ?? "the key is refused"), key file \(keyFile)"
        return explained
    }

    /// `geofenced/1.2 (linux; aarch64)`
    public var userAgent: String { "geofenced/\(version) (linux; \(architecture))" }
}

/// The time at which certificates are judged, and whether anybody vouches for it.
public struct VerificationClock: Sendable {
    /// The greatest of wall clock, build time, last good time and trusted GNSS time; nil: the wall
    /// clock.
    public var time: UTCTime?
    /// Whether that time is known to be right; a certificate that is out of date at a time that
    /// nobody vouches for says more about the clock.
    public var isTrusted: Bool

    public init(time: UTCTime?, isTrusted: Bool) {
        self.time = time
        self.isTrusted = isTrusted
    }

    /// The wall clock, taken for right.
    public static let system = VerificationClock(time: nil, isTrusted: true)
}
