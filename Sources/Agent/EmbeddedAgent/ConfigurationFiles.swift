import GeofenceAgent
import Glibc
import LinuxSystem
import WireFormat

/// The files that a configuration names: what can be said of them before anything is started.
public enum ConfigurationFiles {
    /// One file that cannot be used, and the key that names it.
    public struct Problem: Hashable, Sendable {
        /// "server.key_file"
        public var keyPath: String
        /// The path and what is wrong with what lies there, without a coordinate.
        public var message: String
        /// Where on Earth a fence is wrong, "lon 13.07, lat 52.13": for the terminal of who wrote the
        /// file, not for journals and reports. Nil: nowhere.
        public var place: String?

        /// "server.ca_file /etc/ca.pem: No such file or directory"
        var words: String { "\(keyPath) \(message)" }
    }

    /// Opens and reads each of them, and looks at where the state goes; empty: all can be used.
    public static func problems(
        _ configuration: AgentConfiguration, _ paths: AgentPaths
    ) -> [Problem] {
        var problems: [Problem] = []
        if let reason = StateDirectory.problem(paths.stateDirectory) {
            problems.append(
                Problem(
                    keyPath: "state_directory", message: "\(paths.stateDirectory): \(reason)"))
        }
        if let path = paths.keyFile {
            do throws(APIKeyError) {
                _ = try APIKey.read(path)
            } catch {
                problems.append(
                    Problem(keyPath: "server.key_file", message: "\(path): \(error.problem)"))
            }
        }
        problems += partProblems(configuration)
        if let path = configuration.fencesFile {
            do throws(WireError) {
                _ = try FenceFile.fences(path)
            } catch {
                problems.append(
                    Problem(
                        keyPath: "fences_file", message: "\(path): \(error)", place: error.place))
            }
        }
        return problems
    }

    /// Of these files the ones without which an agent starts all the same, and keeps what happens:
    /// those of TLS, without which nothing is sent, and the command.
    static func partProblems(_ configuration: AgentConfiguration) -> [Problem] {
        var problems: [Problem] = []
        let server = configuration.server
        for (keyPath, path) in [
            ("server.ca_file", server?.caFile),
            ("server.client_certificate", server?.clientCertificate),
            ("server.client_key", server?.clientKey),
        ] {
            if let path, let reason = unreadable(path) {
                problems.append(Problem(keyPath: keyPath, message: "\(path): \(reason)"))
            }
        }
        if let path = configuration.notify.command?.first, access(path, X_OK) != 0 {
            let reason = String(cString: strerror(errno))
            problems.append(Problem(keyPath: "notify.command", message: "\(path): \(reason)"))
        }
        return problems
    }

    /// Why a PEM file cannot be read; nil: it can, and holds a block.
    private static func unreadable(_ path: String) -> String? {
        do throws(SystemError) {
            let bytes = try FileContents.read(path, limit: pemLimit)
            return bytes.holds("-----BEGIN ") ? nil : "not a PEM file"
        } catch {
            return error.reason
        }
    }

    /// Bytes of a bundle of authorities at most; Debian's has 220 KiB.
    private static let pemLimit = 4 * 1024 * 1024
}
