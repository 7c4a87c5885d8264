extension WireEvent {
    /// The bytes that `WireCoding.encode` makes of the event, at a tenth of its cost: every event is
    /// written while the tracker waits.
    ///
    /// Throws for a number that JSON cannot hold.
    public func text() throws -> [UInt8] {
        var writer = JSONObjectWriter(capacity: Self.usualBytes)
        writer.begin()
        writer.member("boot_id", bootID)
        writer.member("client_event_id", clientEventID.text)
        if let detectedAt {
            writer.member("detected_at", detectedAt.time)
        } else {
            writer.null("detected_at")
        }
        if let durationSeconds { writer.member("duration_s", durationSeconds) }
        if let evicted { evicted.write(to: &writer) }
        if let evidence { evidence.write(to: &writer) }
        if let fenceID { writer.member("fence_id", fenceID.text) }
        if let fenceVersion { writer.member("fence_version", fenceVersion) }
        writer.member("inferred", inferred)
        writer.member("initial", initial)
        if let monoMilliseconds {
            writer.member("mono_ms", monoMilliseconds)
        } else {
            writer.null("mono_ms")
        }
        try notification.write(to: &writer)
        writeOccurrence(to: &writer)
        if let position { position.write(to: &writer) }
        writer.member("queue_epoch", queueEpoch)
        if let reason { writer.member("reason", reason) }
        writer.member("seq", sequence)
        if let serverNotificationVerdict {
            writer.member("server_notification_verdict", serverNotificationVerdict)
        }
        writer.member("time_quality", timeQuality)
        writer.member("type", type)
        if let visitID { writer.member("visit_id", visitID.text) }
        writer.member("wall_at", wallAt.time)
        writer.member("wall_synchronised", wallSynchronised)
        writer.end()
        return try writer.finish()
    }

    /// With room to spare.
    private static let usualBytes = 1536

    private func writeOccurrence(to writer: inout JSONObjectWriter) {
        if let occurredAt {
            writer.member("occurred_at", occurredAt.time)
        } else {
            writer.null("occurred_at")
        }
        if let occurredMonoMilliseconds {
            writer.member("occurred_mono_ms", occurredMonoMilliseconds)
        }
        if let occurredUncertaintySeconds {
            writer.member("occurred_uncertainty_s", occurredUncertaintySeconds)
        }
    }
}

extension WireEvicted {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.begin("evicted")
        writer.member("count", count)
        writer.member("first_seq", firstSequence)
        writer.member("kind", kind)
        writer.member("last_seq", lastSequence)
        writer.end()
    }
}

extension WireEvidence {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.begin("evidence")
        if let accuracyMeters { writer.member("accuracy_m", accuracyMeters) }
        if let chordMeters { writer.member("chord_m", chordMeters) }
        writer.member("confirmations", confirmations)
        if let gapSeconds { writer.member("gap_s", gapSeconds) }
        writer.member("rule", rule)
        if let signedDistanceMeters { writer.member("signed_distance_m", signedDistanceMeters) }
        writer.member("span_s", spanSeconds)
        writer.member("stationary", stationary)
        if let entered { writer.member("t_in", entered.time) }
        if let left { writer.member("t_out", left.time) }
        writer.end()
    }
}

extension WireNotification {
    fileprivate func write(to writer: inout JSONObjectWriter) throws {
        writer.begin("notification")
        if let basis { writer.member("basis", json: try WireCoding.encode(basis)) }
        if let campaignID { writer.member("campaign_id", campaignID.text) }
        if let campaignVersion { writer.member("campaign_version", campaignVersion) }
        writer.member("decision", decision)
        if let reason { writer.member("reason", reason) }
        writer.end()
    }
}

extension WirePosition {
    fileprivate func write(to writer: inout JSONObjectWriter) {
        writer.begin("position")
        if let accuracyMeters { writer.member("accuracy_m", accuracyMeters) }
        if let course { writer.member("course_deg", course) }
        if let hdop { writer.member("hdop", hdop) }
        writer.member("integrity_flags", integrityFlags)
        writer.member("lat", lat)
        writer.member("lon", lon)
        writer.member("quality", quality)
        if let satellites { writer.member("satellites", satellites) }
        writer.member("source", source)
        if let speed { writer.member("speed_mps", speed) }
        writer.end()
    }
}
