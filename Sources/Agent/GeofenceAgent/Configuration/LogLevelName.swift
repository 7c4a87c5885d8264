import Timekeeping

/// The names of log levels in the configuration.
public enum LogLevelName: String, Codable, Sendable, CaseIterable {
    case error, warning, notice, info, debug

    public var level: LogLevel {
        switch self {
        case .error: .error
        case .warning: .warning
        case .notice: .notice
        case .info: .info
        case .debug: .debug
        }
    }
}
