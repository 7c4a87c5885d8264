import GeofenceAgent

/// Who was told what, for a person.
enum NotificationText {
    /// The row of `status`.
    static func line(_ notifications: AgentStatus.Notifications) -> String {
        var parts = [
            "\(notifications.shown) shown of \(count(notifications.campaigns, "campaign"))"
        ]
        let suppressed = notifications.suppressed.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !suppressed.isEmpty {
            let reasons = suppressed.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
            parts.append("suppressed: \(reasons)")
        }
        parts += notifications.sinks.map(sink)
        if let last = notifications.lastDisagreements.last {
            parts.append(
                "the server thinks otherwise of \(count(notifications.lastDisagreements.count, "event"))"
                    + ", the last is #\(last.sequence): \(last.decision) here, \(last.verdict) there"
            )
        }
        if !notifications.unknownZones.isEmpty {
            parts.append(
                "unknown zones: \(notifications.unknownZones.joined(separator: ", "))")
        }
        parts += notifications.problems.prefix(1).map { "not readable: \($0)" }
        return parts.joined(separator: "; ")
    }

    /// "notification #12 gym: Welcome (campaign c1)"
    static func line(_ notification: ShownNotification) -> String {
        "notification #\(notification.sequence) \(notification.fenceID): "
            + "\(notification.title.split(whereSeparator: \.isNewline).joined(separator: " ")) "
            + "(campaign \(notification.campaignID))"
    }

    private static func sink(_ sink: NotificationSinkReport) -> String {
        var text = "\(sink.name): \(sink.delivered) delivered"
        if sink.waiting > 0 { text += ", \(sink.waiting) waiting" }
        if sink.dropped > 0 { text += ", \(sink.dropped) dropped" }
        if sink.failed > 0 { text += ", \(sink.failed) failed" }
        if let failure = sink.lastFailure { text += " (\(failure))" }
        return text
    }

    private static func count(_ number: Int, _ name: String) -> String {
        "\(number) \(name)\(number == 1 ? "" : "s")"
    }
}
