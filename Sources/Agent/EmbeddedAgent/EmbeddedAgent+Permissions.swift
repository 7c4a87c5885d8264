import ConfigurationFile
import GeofenceAgent
import Glibc
import LinuxSystem
import Timekeeping

extension EmbeddedAgent {
    /// Finds out whether the agent may know where the device is, and mends what it may: a state
    /// directory that does not exist is made. Takes up to ten seconds, in which the receiver is
    /// listened to.
    ///
    /// A fix that was got once counts from then on, as a permission does on a phone: a device that
    /// starts in a garage monitors what it knows.
    public func requestPermissions() async -> PermissionStatus {
        makeStateDirectory()
        var doctor = Doctor(file: "the configuration", .success(configuration))
        doctor.service = service
        let found = await doctor.permissions()
        switch found.status {
        case .grantedAlways, .grantedWhenInUse:
            rememberGrant()
            return found
        case .notDetermined where hasRememberedGrant:
            return doctor.permissions(
                .fix(detail: "the receiver gave a fix before; now: \(found.reason)"))
        case .notDetermined, .denied:
            return found
        }
    }

    private func makeStateDirectory() {
        // What cannot be made is said by the status.
        var path = ""
        for part in paths.stateDirectory.split(separator: "/") {
            path += "/\(part)"
            if mkdir(path, 0o700) != 0, errno != EEXIST { return }
        }
    }

    /// Its existence says that a precise fix was got.
    private static let grantName = "receiver-granted"

    private var hasRememberedGrant: Bool {
        access("\(paths.stateDirectory)/\(Self.grantName)", F_OK) == 0
    }

    private func rememberGrant() {
        guard configuration.position == nil, !hasRememberedGrant else { return }
        do throws(SystemError) {
            try StateDirectory.replace(Self.grantName, in: paths.stateDirectory, with: [])
        } catch {
            log.write(LogLine(.warning, "the permission cannot be remembered: \(error)"))
        }
    }
}
