import Synchronization

/// The configuration of each workspace's devices as it was made last: it is the same for most
/// requests, and making it reads and writes JSON.
final class ConfigurationCache: Sendable {
    /// Workspaces that are kept; then it starts over.
    static let capacity = 1_000

    private let known = Mutex<[Int64: Made]>([:])

    private struct Made {
        var stored: StoredConfiguration
        var configuration: DeviceConfiguration
    }

    func configuration(
        of workspace: Int64, _ stored: StoredConfiguration, isTrialOver: Bool
    ) throws -> DeviceConfiguration {
        let made = known.withLock { $0[workspace] }
        if let made, made.stored == stored, made.configuration.isTrialOver == isTrialOver {
            return made.configuration
        }
        let configuration = try DeviceConfiguration(stored, isTrialOver: isTrialOver)
        known.withLock { known in
            if known.count >= Self.capacity { known.removeAll() }
            known[workspace] = Made(stored: stored, configuration: configuration)
        }
        return configuration
    }
}
