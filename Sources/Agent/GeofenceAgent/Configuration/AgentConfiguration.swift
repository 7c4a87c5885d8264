import Geodesy
import Positioning
import Timekeeping
import WireFormat

/// Everything that a person can set, with its defaults. Documented in docs/configuration.md.
///
/// A value out of range is a `DecodingError.dataCorrupted` at its key, whose description names the
/// value and the allowed range; the configuration file turns the key into line and column.
public struct AgentConfiguration: Sendable {
    /// Nil: standalone, nothing is uploaded.
    public var server: ServerSettings?
    public var device = DeviceSettings()
    /// A fixed position instead of a receiver; nil: there is a receiver.
    public var position: FixedPosition?
    /// Where the device is told whether it stays; it lets a dwell be reached during an outage.
    public var stationaryHint = StationaryHint.none
    public var receiver = ReceiverSettings()
    /// Nil: `$STATE_DIRECTORY`, else /var/lib/geofenced.
    public var stateDirectory: String?
    /// Nil: `$RUNTIME_DIRECTORY/control.sock`, else /run/geofenced/control.sock.
    public var socket: String?
    public var rules = WireRules()
    public var queue = QueueSettings()
    public var upload = UploadSettings()
    /// A device that had nothing to upload for so long says how it is and asks what is new.
    public var heartbeatSeconds = 300
    public var recording = RecordingSettings()
    public var breadcrumbs = BreadcrumbSettings()
    public var notify = NotifySettings()
    /// GeoJSON with fences of a device without a server; nil: none.
    public var fencesFile: String?
    public var logLevel = LogLevelName.info

    public init() {}
}

extension AgentConfiguration: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case server, device, position, receiver, socket, rules, queue, upload, recording
        case breadcrumbs, notify
        case stateDirectory = "state_directory"
        case stationaryHint = "stationary_hint"
        case heartbeatSeconds = "heartbeat_s"
        case fencesFile = "fences_file"
        case logLevel = "log_level"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        server = try container.decodeIfPresent(ServerSettings.self, forKey: .server)
        device = try container.decodeIfPresent(DeviceSettings.self, forKey: .device) ?? device
        position = try container.decodeIfPresent(FixedPosition.self, forKey: .position)
        stationaryHint =
            try container.decodeIfPresent(StationaryHint.self, forKey: .stationaryHint)
            ?? stationaryHint
        receiver =
            try container.decodeIfPresent(ReceiverSettings.self, forKey: .receiver) ?? receiver
        stateDirectory = try container.decodePathIfPresent(forKey: .stateDirectory)
        socket = try container.decodePathIfPresent(forKey: .socket, longest: 107)
        rules = try container.decodeIfPresent(WireRules.self, forKey: .rules) ?? rules
        try Self.check(rules, at: container.codingPath + [CodingKeys.rules])
        queue = try container.decodeIfPresent(QueueSettings.self, forKey: .queue) ?? queue
        upload = try container.decodeIfPresent(UploadSettings.self, forKey: .upload) ?? upload
        heartbeatSeconds =
            try container.decodeIfPresent(Int.self, forKey: .heartbeatSeconds, in: 5...86_400)
            ?? heartbeatSeconds
        recording =
            try container.decodeIfPresent(RecordingSettings.self, forKey: .recording) ?? recording
        breadcrumbs =
            try container.decodeIfPresent(BreadcrumbSettings.self, forKey: .breadcrumbs)
            ?? breadcrumbs
        notify = try container.decodeIfPresent(NotifySettings.self, forKey: .notify) ?? notify
        fencesFile = try container.decodePathIfPresent(forKey: .fencesFile)
        logLevel = try container.decodeIfPresent(LogLevelName.self, forKey: .logLevel) ?? logLevel
        if server != nil && fencesFile != nil {
            throw DecodingError.dataCorruptedError(
                forKey: .fencesFile, in: container,
                debugDescription: "not together with server: the fences come from one of them")
        }
    }

    /// The wire's own check of the rules, as an error at the key that it points to.
    private static func check(_ rules: WireRules, at path: [any CodingKey]) throws {
        do throws(WireError) {
            try rules.validate()
        } catch {
            let key = WireRules.CodingKeys(rawValue: String(error.pointer.dropFirst()))
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: path + (key.map { [$0] } ?? []), debugDescription: error.detail))
        }
    }
}
