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

    /// Exchanges the code and writes the key, mode 0600, in one step. Blocks.
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
        try checkWritable()
        let key: String
        do throws(ProvisioningFailure) {
            key = try connection.exchange(code: code)
        } catch {
            throw ProvisioningError(error.code, "\(server): \(error.message)")
        }
        do throws(SystemError) {
            try FileContents.replace(keyFile, with: Array("\(key)\n".utf8))
        } catch {
            throw ProvisioningError(
                "key_lost",
                "\(keyFile): \(error); the code is used up, so ask for another one and let the key "
                    + "of \(deviceID) be revoked")
        }
    }

    /// Writes as much beside the key file as a key needs, and removes it.
    private func checkWritable() throws(ProvisioningError) {
        let probe = "\(keyFile).probe"
        do throws(SystemError) {
            try FileContents.replace(probe, with: [UInt8](repeating: 10, count: 512))
            unlink(probe)
        } catch {
            throw ProvisioningError(
                "key_file_not_writable", "\(keyFile): \(error); the code has not been used")
        }
    }
}

/// Why a device got no key.
public struct ProvisioningError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Stable, for programs: `no_server`, `no_device_id`, `key_present`, `key_file_not_writable`,
    /// `key_lost`, or what `ProvisioningFailure` says.
    public var code: String
    /// For a person.
    public var message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
