import GeofenceAgent
import Glibc
import HTTPTransport
import LinuxSystem
import WireFormat

/// Gets a key for this device by a single-use code, and writes it to the key file.
///
/// A code that is spent on a key which nobody can keep is lost. So everything that can fail on this
/// side is tried before the server is asked.
public struct Provisioning: Sendable {
    public let deviceID: String
    public let keyFile: String
    /// Its address.
    public let server: String
    private let connection: HTTPConnection

    /// Throws where the configuration leaves nothing to do.
    public init(_ configuration: AgentConfiguration) throws(ProvisioningError) {
        guard let settings = configuration.server else {
            throw ProvisioningError("no_server", "server: the configuration names none")
        }
        do throws(StartError) {
            deviceID = try DeviceIdentity.make(configuration.device, machine: MachineIdentity())
        } catch {
            throw ProvisioningError("no_device_id", error.description)
        }
        // Not the copy that systemd made of it for a unit.
        keyFile = settings.keyFile ?? AgentPaths.defaultKeyFile
        do throws(ServerURLError) {
            connection = HTTPConnection(
                settings: TransportSettings(
                    server: try ServerURL(settings.url), apiKey: "", deviceID: deviceID,
                    authorityFile: settings.caFile,
                    clientCertificateFile: settings.clientCertificate,
                    clientKeyFile: settings.clientKey, version: ProjectVersion.current,
                    architecture: Architecture.name), timekeeper: SystemTimekeeper())
        } catch {
            throw ProvisioningError("no_server", "server.url: \(error)")
        }
        server = settings.url
    }

    /// Exchanges the code and writes the key in one step. Blocks.
    ///
    /// A new file gets mode 0600. One that is replaced keeps its owner and group, and of its mode
    /// what the agent allows (0640): whoever reads the key goes on reading it.
    ///
    /// Unless `replacing`, a key file that is there already stays and the code is not used.
    public func run(code: String, replacing: Bool) throws(ProvisioningError) {
        guard !code.isEmpty else {
            throw ProvisioningError("code_unknown", "the code is empty")
        }
        guard replacing || access(keyFile, F_OK) != 0 else {
            throw ProvisioningError(
                "key_present",
                "\(keyFile) is there already: --replace puts the new key in its place")
        }
        let access = try accessToKeep()
        try checkWritable(access)
        let key: String
        do throws(ProvisioningFailure) {
            key = try connection.exchange(code: code)
        } catch {
            throw ProvisioningError(error.code, "\(server): \(error.message)")
        }
        let bytes = Array("\(key)\n".utf8)
        do throws(SystemError) {
            try write(bytes, to: keyFile, access)
        } catch {
            throw failure(error, of: bytes)
        }
    }

    /// Of the key file that is there; nil: there is none.
    private func accessToKeep() throws(ProvisioningError) -> FileOwnership? {
        do throws(SystemError) {
            guard var access = try FileOwnership(of: keyFile) else { return nil }
            access.mode &= 0o640
            return access
        } catch {
            throw notWritable(error)
        }
    }

    private func write(
        _ bytes: [UInt8], to path: String, _ access: FileOwnership?
    ) throws(SystemError) {
        if let access {
            try FileContents.replace(path, with: bytes, access: access)
        } else {
            try FileContents.replace(path, with: bytes)
        }
    }

    /// Writes as much beside the key file as a key needs, and removes it.
    private func checkWritable(_ access: FileOwnership?) throws(ProvisioningError) {
        let probe = "\(keyFile).probe"
        defer { unlink(probe) }
        do throws(SystemError) {
            try write([UInt8](repeating: 10, count: 512), to: probe, access)
        } catch {
            throw notWritable(error)
        }
    }

    private func notWritable(_ error: SystemError) -> ProvisioningError {
        ProvisioningError(
            "key_file_not_writable", "\(keyFile): \(error); the code has not been used")
    }

    /// After the exchange. Where the file holds the key, only its folder was not synchronised.
    private func failure(_ error: SystemError, of key: [UInt8]) -> ProvisioningError {
        if (try? FileContents.read(keyFile, limit: 4096)) == key {
            return ProvisioningError(
                "key_not_synchronised",
                "\(keyFile) holds the new key, but a power cut now may lose it: \(error); run sync")
        }
        return ProvisioningError(
            "key_lost",
            "\(keyFile): \(error); the code is used up, so ask for another one and let the key "
                + "of \(deviceID) be revoked")
    }
}

/// Why a device got no key.
public struct ProvisioningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable, for programs: `no_server`, `no_device_id`, `key_present`, `key_file_not_writable`,
    /// `key_lost`, `key_not_synchronised`, or what `ProvisioningFailure` says.
    public var code: String
    /// For a person.
    public var message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
