import GeofenceAgent

/// The status as a person reads it, from the sky to the server. A blank is always explained.
enum StatusText {
    static func rows(_ status: AgentStatus) -> [String] {
        [
            row("receiver", receiver(status.receiver)),
            row("sentences", sentences(status.receiver)), row("fix", fix(status.fix)),
            row("gate", gate(status.fix)),
            row("clock", clock(status.clock)), row("server", server(status.server)),
            row("queue", queue(status.queue)), row("fences", fences(status)),
        ] + status.fences.list.prefix(3).map { row("", fence($0)) } + [
            row("last event", lastEvent(status.lastEvent)),
            row("notified", NotificationText.line(status.notifications)),
            row("recording", recording(status.recording)),
        ] + breadcrumbs(status.breadcrumbs) + [
            row("check-in", checkIn(status.checkIn)),
            row(
                "agent",
                "\(status.deviceID), version \(status.version), running for "
                    + EventText.duration(status.runningSeconds)),
        ]
    }

    /// No line where none are kept.
    private static func breadcrumbs(_ counts: AgentStatus.Breadcrumbs?) -> [String] {
        guard let counts else { return [] }
        var text = "\(counts.kept) kept"
        if counts.dropped > 0 { text += ", \(counts.dropped) gave way" }
        if counts.lost > 0 { text += ", \(counts.lost) not written" }
        return [row("positions", text)]
    }

    private static func recording(_ recording: AgentStatus.Recording) -> String {
        recording.state + (recording.reason.map { ": \($0)" } ?? "")
    }

    private static func row(_ name: String, _ text: String) -> String {
        name + String(repeating: " ", count: max(1, 12 - name.count)) + text
    }

    private static func receiver(_ receiver: AgentStatus.Receiver) -> String {
        var text = receiver.state
        if !receiver.reason.isEmpty { text += ": \(receiver.reason)" }
        if let device = receiver.device { text += ", \(device)" }
        if let baud = receiver.baud { text += " at \(baud) baud" }
        text += ", \(Int(receiver.bytesPerSecond.rounded())) bytes/s"
        if receiver.dropped > 0 { text += ", \(receiver.dropped) inputs dropped" }
        return text
    }

    /// What the decoder's layers let through, and what each refused.
    private static func sentences(_ receiver: AgentStatus.Receiver) -> String {
        if let gpsd = receiver.gpsd { return reports(gpsd) }
        guard let layers = receiver.layers else { return "this source sends none" }
        let refused = [
            ("wrong checksum", layers.checksum.mismatch),
            ("no checksum", layers.checksum.missing), ("malformed", layers.fields.malformed),
            ("cut short", layers.framer.interrupted), ("damaged", layers.framer.nonPrintable),
            ("too long", layers.framer.tooLong),
        ]
        var parts = ["\(layers.fields.accepted) accepted"]
        parts += named(refused)
        parts.append(
            "\(layers.epochs.closed) epochs, \(layers.validity.fixes) with a position")
        parts += named([
            ("late sentences", layers.epochs.late),
            ("binary frames", layers.framer.ubxFrames + layers.framer.rtcmFrames),
            ("dates refused", receiver.time?.refusedDates ?? 0),
            ("week rollovers", receiver.time?.rollovers ?? 0),
            ("time jumps", receiver.time?.jumps ?? 0),
        ])
        return parts.joined(separator: ", ")
    }

    /// What was made of gpsd's reports, and what each was refused for.
    private static func reports(_ gpsd: [String: Int]) -> String {
        let count = { gpsd[$0] ?? 0 }
        var parts = ["\(count("accepted")) accepted"]
        parts += named([
            ("malformed", count("malformed")), ("too long", count("too_long")),
            ("without a position", count("position_missing")),
            ("off the Earth", count("position_out_of_range")),
            ("at 0 N 0 E", count("null_island")),
        ])
        parts.append("\(count("epochs")) epochs, \(count("fixes")) with a position")
        parts += named([
            ("coalesced", count("coalesced")), ("late", count("late")),
            ("of other receivers", count("other_device")),
        ])
        return parts.joined(separator: ", ")
    }

    private static func gate(_ fix: AgentStatus.Fix) -> String {
        guard !fix.verdicts.isEmpty else { return "no epoch yet" }
        let verdicts = fix.verdicts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return verdicts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func named(_ counts: [(name: String, count: Int)]) -> [String] {
        counts.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
    }

    private static func fix(_ fix: AgentStatus.Fix) -> String {
        guard let age = fix.ageSeconds else {
            let seen = fix.satellitesInView.map { "\($0) satellites in view" }
            let best = fix.bestSignal.map { "best \($0) dB-Hz" }
            let hints = [seen, best].compactMap { $0 }.joined(separator: ", ")
            return "none yet" + (hints.isEmpty ? "" : ": searching, \(hints)")
        }
        var parts = ["\(fix.dimension) \(fix.quality), \(EventText.duration(age)) ago"]
        if fix.isExpired { parts.append("EXPIRED") }
        if let accuracy = fix.accuracyMeters {
            let source = fix.accuracySource ?? "assumed"
            parts.append("±\(EventText.meters(accuracy)) (\(source))")
        }
        if let used = fix.satellitesUsed {
            parts.append("satellites \(used)/\(fix.satellitesInView.map(String.init) ?? "?")")
        }
        if let hdop = fix.hdop { parts.append("HDOP \(EventText.decimal(hdop, digits: 1))") }
        if !fix.integrityFlags.isEmpty {
            parts.append("in doubt: \(fix.integrityFlags.joined(separator: ", "))")
        }
        return parts.joined(separator: ", ")
    }

    private static func clock(_ clock: AgentStatus.Clock) -> String {
        switch (clock.source, clock.offsetSeconds) {
        case ("none", _): "neither GNSS nor NTP yet; events get their time later"
        case (let source, let offset?):
            "\(source), the system clock is off by \(EventText.decimal(offset, digits: 1)) s"
        case (let source, nil): source
        }
    }

    private static func server(_ server: AgentStatus.Server?) -> String {
        guard let server else { return "none configured: events stay on this device" }
        var text = "\(server.url) \(server.state)"
        if let reason = server.reason { text += ": \(reason)" }
        if let reason = server.deferralReason { text += ", puts events off: \(reason)" }
        if let age = server.lastReceiptAgeSeconds {
            text += ", last receipt \(EventText.duration(age)) ago"
        }
        return text
    }

    private static func queue(_ queue: AgentStatus.Queue) -> String {
        var text = "\(queue.pending) pending, \(queue.acknowledged) received by the server"
        if queue.dead > 0 { text += ", \(queue.dead) refused for good" }
        if queue.evicted > 0 { text += ", \(queue.evicted) evicted" }
        if queue.storage != "durable" { text += ", storage \(queue.storage)" }
        return text
    }

    private static func fences(_ status: AgentStatus) -> String {
        let fences = status.fences
        guard fences.source != "none" else { return "none yet: \(noFencesReason(status))" }
        return "\(fences.monitored) of \(fences.known) monitored, from \(fences.source), "
            + "coverage \(fences.coverage)" + (fences.note.map { ": \($0)" } ?? "")
    }

    /// Why there are no fences: nobody asked, nobody answered, or the answer was an error.
    private static func noFencesReason(_ status: AgentStatus) -> String {
        guard let server = status.server else { return "no fences_file and no server configured" }
        switch server.state {
        case "unknown" where status.fix.ageSeconds == nil:
            return "the server is asked once there is a fix"
        case "unknown": return "the server is being asked"
        case "online": return "the server answers, and has sent none yet"
        case "authenticationFailed", "endpointMismatch", "serverBusy":
            return "the server answered with an error"
        default: return "the server was not reached"
        }
    }

    private static func fence(_ fence: AgentStatus.Fence) -> String {
        var text = "\(fence.id) \(fence.state)"
        if let distance = fence.signedDistanceMeters {
            text +=
                ", \(EventText.meters(abs(distance))) "
                + (distance >= 0 ? "inside the edge" : "from the edge")
        }
        if fence.dwelled { text += ", dwelled" }
        if fence.uncertain { text += ", uncertain" }
        return text
    }

    private static func checkIn(_ checkIn: CheckIn) -> String {
        var text = checkIn.state.rawValue
        if let name = checkIn.fenceName { text += " \(name)" }
        if let since = checkIn.since { text += " since \(since.time.rfc3339)" }
        if let reason = checkIn.reason { text += ": \(reason)" }
        if let action = checkIn.nextAction { text += "; \(action)" }
        return text
    }

    private static func lastEvent(_ event: AgentStatus.LastEvent?) -> String {
        guard let event else { return "none yet" }
        let when = event.detectedAt?.time.rfc3339 ?? "time not known yet"
        return "#\(event.sequence) \(event.type) \(event.fenceID ?? "") \(when), \(event.place)"
    }
}
