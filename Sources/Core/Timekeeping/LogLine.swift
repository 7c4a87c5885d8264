/// How much a log line matters; raw values are the syslog priorities of RFC 5424.
public enum LogLevel: Int, Comparable, Sendable, CaseIterable {
    case error = 3
    case warning = 4
    case notice = 5
    case info = 6
    case debug = 7

    /// More severe is smaller.
    public static func < (left: LogLevel, right: LogLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// One line for the journal, as a value. It never holds a coordinate or a secret.
public struct LogLine: Sendable {
    public var level: LogLevel
    /// One sentence: what, where, which value.
    public var message: String

    public init(_ level: LogLevel, _ message: String) {
        self.level = level
        self.message = message
    }
}

/// Where log lines go. `write` does not block on anything slower than a pipe.
public protocol LogSink: Sendable {
    func write(_ line: LogLine)
}
