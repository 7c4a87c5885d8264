import GeofenceAgent
import Glibc
import LinuxSystem

/// Looks at the device key.
enum CredentialProbe {
    /// `path` nil: no server is configured.
    static func facts(_ path: String?) -> DoctorFacts.Credential {
        guard let path else { return .notNeeded }
        do throws(APIKeyError) {
            _ = try APIKey.read(path)
            let mode = (try? FileAccess.of(path).modeText) ?? "unknown"
            return .usable(path: path, mode: mode)
        } catch {
            switch error.reason {
            case .unreadable, .notAFile:
                return .unreadable(path: path, problem: error.problem, remedy: error.remedy)
            case .tooOpen:
                return .tooOpen(path: path, problem: error.problem, remedy: error.remedy)
            case .empty, .noKey:
                return .invalid(path: path, problem: error.problem, remedy: error.remedy)
            }
        }
    }

    /// The same for the permission status; nil: no key is needed.
    static func place(_ path: String?) -> PermissionFacts.Place? {
        guard let path else { return nil }
        do throws(APIKeyError) {
            _ = try APIKey.read(path)
            return PermissionFacts.Place(path: path)
        } catch {
            return PermissionFacts.Place(
                path: path, problem: error.problem, remedy: error.remedy)
        }
    }
}
