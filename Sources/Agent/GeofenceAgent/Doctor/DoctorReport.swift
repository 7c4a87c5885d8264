import WireFormat

/// What `geofenced doctor --json` prints, schema `geofenced.doctor/1`.
public struct DoctorReport: Codable, Hashable, Sendable {
    public private(set) var schema = "geofenced.doctor/1"
    public private(set) var version = ProjectVersion.current
    /// The worst status of all checks; skipped ones do not count.
    public var status: DoctorCheck.Status
    public var permissions: PermissionStatus
    public var checks: [DoctorCheck]

    public init(permissions: PermissionStatus, checks: [DoctorCheck]) {
        self.permissions = permissions
        self.checks = checks
        let found = Set(checks.map(\.status))
        status = found.contains(.fail) ? .fail : found.contains(.warn) ? .warn : .ok
    }

    /// Whether the configuration itself, or a file that it names, is what fails.
    public var blamesConfiguration: Bool {
        checks.contains { $0.code.area == "CONF" && $0.status == .fail }
    }
}
