import CommandLineTool
import EmbeddedAgent
import WireFormat

/// `geofenced provision`: a single-use code becomes the key of this device.
enum ProvisionCommand: Command {
    static let declaration = CommandDeclaration(
        "provision", summary: "exchange a single-use code for the key of this device",
        example: "provision --code -",
        discussion: """
            The server gives one key for a code, within 24 hours; it opens for this device alone \
            (device.id). --code - asks for the code on standard input, so that it stands in no \
            history, list of processes or log of sudo. The key goes to server.key_file in one step, \
            mode 0600; a file that is replaced keeps its owner, group and mode. Everything that can \
            fail here is tried before the code is used. Of the configuration only server, device \
            and state_directory are looked at. An agent that runs already takes the key with its \
            next start.

            Exit status 0: the key is written; 1: it is not, standard error says why; 78: the \
            configuration is refused.
            """,
        options: [
            ConfigurationLoading.option,
            .value(
                "code", "CODE", "- reads the code from standard input; or the code itself",
                isRequired: true),
            .flag("replace", "put the new key in the place of the one that is there"),
            .flag("json", "one JSON object, schema geofenced.provision/1"),
        ])

    private struct Answer: Encodable {
        var schema = "geofenced.provision/1"
        /// provisioned | failed
        var result: String
        var deviceID: String?
        var keyFile: String?
        var server: String?
        /// Nil where it went well.
        var error: Failure?

        struct Failure: Encodable {
            var code: String
            var message: String
        }

        private enum CodingKeys: String, CodingKey {
            case schema, result, server, error
            case deviceID = "device_id"
            case keyFile = "key_file"
        }
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try ConfigurationLoading.delivery(arguments)
        var code = arguments.string("code") ?? ""
        if code == "-" { code = readLine() ?? "" }
        var answer = Answer(result: "failed")
        do throws(ProvisioningError) {
            let provisioning = try Provisioning(configuration)
            answer.deviceID = provisioning.deviceID
            answer.keyFile = provisioning.keyFile
            answer.server = provisioning.server
            try provisioning.run(code: code, replacing: arguments.flag("replace"))
            answer.result = "provisioned"
        } catch {
            answer.error = Answer.Failure(code: error.code, message: error.message)
        }
        if arguments.flag("json") {
            try console.print(String(decoding: WireCoding.encode(answer), as: UTF8.self))
        } else if answer.error == nil {
            try console.print(
                "\(answer.deviceID ?? ""): the key is in \(answer.keyFile ?? "")")
        }
        guard let error = answer.error else { return .success }
        console.note(error.message)
        return error.code == "no_server" ? .configuration : .failure
    }
}
