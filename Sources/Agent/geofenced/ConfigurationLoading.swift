import CommandLineTool
import ConfigurationFile
import EmbeddedAgent
import GeofenceAgent

/// Reading the configuration that a command was given.
enum ConfigurationLoading {
    static let option = CommandOption.value(
        "config", "FILE", "configuration file", default: AgentPaths.defaultConfiguration)

    /// Throws with exit status 78, one line for each problem.
    static func load(_ arguments: ParsedArguments) throws -> DecodedConfiguration<
        AgentConfiguration
    > {
        let path = arguments.string("config") ?? AgentPaths.defaultConfiguration
        do throws(ConfigurationError) {
            return try ConfigurationFile(path: path).decode(AgentConfiguration.self)
        } catch {
            throw CommandFailure(error.description, status: .configuration)
        }
    }
}
