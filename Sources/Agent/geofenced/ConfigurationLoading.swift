import CommandLineTool
import ConfigurationFile
import EmbeddedAgent
import GeofenceAgent

/// Reading the configuration that a command was given.
enum ConfigurationLoading {
    static let option = CommandOption.value(
        "config", "FILE", "configuration file", default: AgentPaths.defaultConfiguration)

    /// What became of reading the file, for those who go on without it.
    static func result(
        _ arguments: ParsedArguments
    ) -> Result<AgentConfiguration, ConfigurationError> {
        let path = arguments.string("config") ?? AgentPaths.defaultConfiguration
        do throws(ConfigurationError) {
            return .success(
                try ConfigurationFile(path: path).decode(AgentConfiguration.self).value)
        } catch {
            return .failure(error)
        }
    }

    /// The doctor for the device that the arguments name.
    static func doctor(_ arguments: ParsedArguments) -> Doctor {
        Doctor(
            file: arguments.string("config") ?? AgentPaths.defaultConfiguration,
            result(arguments))
    }

    /// Of the configuration only what names queue and server, so that mistakes elsewhere do not keep
    /// anybody from the events. Throws with exit status 78.
    static func delivery(_ arguments: ParsedArguments) throws -> AgentConfiguration {
        let path = arguments.string("config") ?? AgentPaths.defaultConfiguration
        do throws(ConfigurationError) {
            return try ConfigurationFile(path: path)
                .decode(DeliveryConfiguration.self, ignoringUnknownKeys: true).value.agent
        } catch {
            throw CommandFailure(error.description, status: .configuration)
        }
    }

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
