import GeofenceAgent
import LinuxSystem
import Timekeeping
import WireFormat

/// Hands notifications to the command of the configuration, as JSON on its standard input.
final class CommandSink: NotificationSink {
    private let hook: CommandHook
    private let log: any LogSink

    init(_ command: [String], log: any LogSink) throws(SystemError) {
        self.log = log
        hook = try CommandHook(command) { failure in
            log.write(LogLine(.warning, "notify.command: \(failure)"))
        }
    }

    func show(_ notification: ShownNotification) {
        do {
            guard !hook.submit(try WireCoding.encode(notification)) else { return }
            log.write(
                LogLine(
                    .warning,
                    "notify.command: event \(notification.sequence) is left out, too many wait"))
        } catch {
            log.write(LogLine(.error, "notify.command: \(error)"))
        }
    }

    var report: NotificationSinkReport {
        let hook = hook.report
        var report = NotificationSinkReport(name: "command")
        report.delivered = hook.succeeded
        report.failed = hook.failed
        report.dropped = hook.dropped
        report.waiting = hook.waiting
        report.lastFailure = hook.lastFailure
        return report
    }

    /// What waits is not told any more; a command that runs gets a second.
    func close() {
        hook.close()
    }
}
