import Glibc
import Timekeeping

/// Log lines on standard error: with a `<priority>` for the journal, in words for a person.
///
/// A line is one write(2) of at most `maximumLineBytes`, so lines of several threads never mix.
public struct JournalLogSink: LogSink {
    /// Longer lines are cut; PIPE_BUF (4,096) is the largest write that a pipe takes in one piece.
    public static let maximumLineBytes = 2048

    /// Lines that matter less than this are not written.
    public let threshold: LogLevel
    private let descriptor: Int32
    private let isJournal: Bool

    /// Standard error of this process, in the journal's form where JOURNAL_STREAM says so.
    public init(threshold: LogLevel) {
        let stream = getenv("JOURNAL_STREAM").map { String(cString: $0) }
        self.init(threshold: threshold, descriptor: STDERR_FILENO, journalStream: stream)
    }

    /// `journalStream` is "device:inode" of the journal's socket (systemd.exec(5)): when standard
    /// error was redirected since, it no longer fits and people read it.
    init(threshold: LogLevel, descriptor: Int32, journalStream: String?) {
        self.threshold = threshold
        self.descriptor = descriptor
        var status = stat()
        isJournal =
            fstat(descriptor, &status) == 0
            && journalStream == "\(status.st_dev):\(status.st_ino)"
    }

    public func write(_ line: LogLine) {
        guard line.level <= threshold else { return }
        let start = isJournal ? "<\(line.level.rawValue)>" : "\(Self.name(of: line.level)): "
        var bytes = Array(start.utf8)
        bytes += line.message.utf8.prefix(Self.maximumLineBytes).map { $0 < 32 ? 32 : $0 }
        bytes = bytes.prefix(Self.maximumLineBytes - 1) + [10]
        // Nobody can be told that the log cannot be written.
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }

    private static func name(of level: LogLevel) -> String {
        switch level {
        case .error: "error"
        case .warning: "warning"
        case .notice: "notice"
        case .info: "info"
        case .debug: "debug"
        }
    }
}
