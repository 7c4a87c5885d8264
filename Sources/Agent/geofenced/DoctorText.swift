import CommandLineTool
import GeofenceAgent

/// The doctor's report for a person: one line for each finding, and below it what to do.
enum DoctorText {
    static func lines(_ report: DoctorReport, _ console: Console) -> [String] {
        let count = { (status: DoctorCheck.Status) in
            report.checks.count { $0.status == status }
        }
        return permissions(report.permissions)
            + report.checks.flatMap { lines($0, console) } + [
                "\(count(.ok)) ok, \(count(.warn)) warnings, \(count(.fail)) failures, "
                    + "\(count(.skipped)) skipped"
            ]
    }

    /// "permission  grantedWhenInUse: why" and the next action.
    static func permissions(_ status: PermissionStatus) -> [String] {
        ["permission  \(status.status.rawValue): \(status.reason)", "  do: \(status.nextAction)"]
    }

    private static func lines(_ check: DoctorCheck, _ console: Console) -> [String] {
        let word = check.status.rawValue
        let padded = word + String(repeating: " ", count: max(0, 8 - word.count))
        let code = check.code.rawValue
        let gap = String(repeating: " ", count: max(1, 14 - code.count))
        let line =
            console.styled(padded, style(check.status)) + code + gap
            + "\(check.name): \(check.seen)"
        return [line] + (check.action.map { ["  do: \($0)"] } ?? [])
    }

    private static func style(_ status: DoctorCheck.Status) -> TextStyle {
        switch status {
        case .ok: .green
        case .warn: .yellow
        case .fail: .red
        case .skipped: .dim
        }
    }
}
