import GeofenceAgent
import HTTPTransport
import WireFormat

extension TransportSettings {
    /// For the server that the configuration names; nil without one. Reads the key.
    init?(
        _ configuration: AgentConfiguration, _ paths: AgentPaths, deviceID: String
    ) throws(StartError) {
        guard let server = configuration.server, let keyFile = paths.keyFile else { return nil }
        let url: ServerURL
        do throws(ServerURLError) {
            url = try ServerURL(server.url)
        } catch {
            throw StartError(.configuration, "server.url: \(error)")
        }
        let key: String
        do throws(APIKeyError) {
            key = try APIKey.read(keyFile)
        } catch {
            throw StartError(.configuration, error.description)
        }
        self.init(
            server: url, apiKey: key, keyFile: keyFile, deviceID: deviceID,
            userID: configuration.device.userID, authorityFile: server.caFile,
            clientCertificateFile: server.clientCertificate, clientKeyFile: server.clientKey,
            version: ProjectVersion.current, architecture: Architecture.name)
    }
}
