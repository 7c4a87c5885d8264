import Delivery
import Geofencing
import Positioning
import Timekeeping
import WireFormat

extension TrackingService {
    /// What the control loop contributes to `status`; the uploader's part is handed in.
    func status(upload: UploadStatus?) -> AgentStatus {
        let now = time.uptime
        let report = pipeline.status(at: now)
        return AgentStatus(
            deviceID: settings.deviceID, runningSeconds: now.seconds(since: started),
            receiver: receiverStatus(at: now),
            fix: fixStatus(report, at: now), clock: clockStatus(),
            server: settings.serverURL.map { serverStatus($0, upload, at: now) },
            queue: queueStatus(), fences: fencesStatus(report), lastEvent: lastEvent(),
            checkIn: checkIn.current, recording: recordingStatus,
            breadcrumbs: queue.breadcrumbs.map { counts in
                AgentStatus.Breadcrumbs(
                    kept: counts.kept, dropped: counts.dropped, lost: counts.lost)
            },
            notifications: notificationStatus())
    }

    /// Events for `events`, `watch --since`: oldest first, with times that a clock anchor resolves.
    func events(after key: Int64?, limit: Int) throws(QueueError) -> [QueuedEvent] {
        try queue.events(after: key, limit: limit)
    }

    /// Logs an event that cannot be read, once.
    func tellUnreadable(_ key: Int64, _ text: String) {
        guard unreadableEvents.count < 1000, unreadableEvents.insert(key).inserted else { return }
        log.write(LogLine(.error, text))
    }

    /// The key after which the newest `limit` events stand.
    func startOfNewest(_ limit: Int) throws(QueueError) -> Int64 {
        try queue.startOfNewest(limit)
    }

    /// How far the queue has come, for `watch`.
    func positions() throws(QueueError) -> QueuePositions { try queue.positions() }

    /// Sources may discard input before it reaches the control loop.
    func noteDropped(_ count: Int) {
        receiver.dropped += count
        recorder?.noteLost(count)
    }

    private func receiverStatus(at now: Uptime) -> AgentStatus.Receiver {
        let report = settings.receiverReport()
        return AgentStatus.Receiver(
            state: receiver.health.state.rawValue, reason: receiver.health.reason,
            device: report.device, baud: report.baud, bytesPerSecond: receiver.bytesPerSecond,
            acceptedSentences: report.nmea?.accepted ?? report.gpsd?.accepted ?? 0,
            rejectedSentences: report.nmea?.rejected ?? report.gpsd?.rejected ?? 0,
            openings: report.openings, hangUps: report.hangUps,
            layers: report.nmea.map(AgentStatus.Layers.init),
            gpsd: report.gpsd.map { counters in
                Dictionary(counters.named.map { ($0.name, $0.count) }) { first, _ in first }
            },
            time: report.time.map(AgentStatus.TimeLayer.init), dropped: receiver.dropped)
    }

    private func fixStatus(_ report: PipelineStatus, at now: Uptime) -> AgentStatus.Fix {
        let latest = receiver.lastFix
        let accepted = report.lastFix
        var verdicts: [String: Int] = [:]
        for verdict in FixVerdict.allCases where report.verdictCounts[verdict] > 0 {
            verdicts[verdict.rawValue] = report.verdictCounts[verdict]
        }
        return AgentStatus.Fix(
            dimension: latest?.dimension.rawValue ?? Dimension.none.rawValue,
            quality: latest?.quality.name ?? Quality.none.name,
            lat: accepted?.fix.coordinate?.latitude, lon: accepted?.fix.coordinate?.longitude,
            ageSeconds: accepted.map { now.seconds(since: $0.fix.uptime) },
            satellitesUsed: latest?.satellitesUsed, satellitesInView: latest?.satellitesInView,
            bestSignal: latest?.bestSignal, accuracyMeters: accepted?.accuracyMeters,
            accuracySource: accepted?.fix.horizontalAccuracy?.provenance.rawValue,
            integrityFlags: latest?.integrityFlags.names ?? [],
            isExpired: report.isFixExpired, periodSeconds: report.nominalPeriodSeconds,
            hdop: latest?.hdop, speed: latest?.speed, verdicts: verdicts)
    }

    private func clockStatus() -> AgentStatus.Clock {
        let wall = time.wallClock
        let gnss = clock.anchor.flatMap { $0.source == .gnss ? $0 : nil }
        return AgentStatus.Clock(
            source: gnss != nil ? "gnss" : wall.isSynchronised ? "ntp" : "none",
            isSynchronised: wall.isSynchronised,
            offsetSeconds: gnss.map { wall.time.seconds(since: $0.utc(at: time.uptime)) })
    }

    private func serverStatus(
        _ url: String, _ upload: UploadStatus?, at now: Uptime
    ) -> AgentStatus.Server {
        let finding = ServerFinding(upload: upload, fences: source)
        return AgentStatus.Server(
            url: url, state: finding.state, reason: finding.reason,
            deferralReason: upload?.deferralReason,
            failures: upload?.failures ?? 0,
            lastReceiptAgeSeconds: upload?.lastReceipt.map { now.seconds(since: $0) })
    }

    private func queueStatus() -> AgentStatus.Queue {
        let counts = queue.counts
        return AgentStatus.Queue(
            enqueued: counts.enqueued, acknowledged: counts.acknowledged,
            pending: counts.pending, dead: counts.dead, evicted: counts.evicted,
            oldest: counts.oldest.map(WireTime.init), storage: queue.health.name)
    }

    private func fencesStatus(_ report: PipelineStatus) -> AgentStatus.Fences {
        var reason: RegionMonitor.Reason?
        if case .unavailable(let why) = pipeline.availability { reason = why }
        return AgentStatus.Fences(
            known: report.fences.count, monitored: report.fences.count(where: \.isMonitored),
            source: source.origin == .none && !pipeline.localFences.isEmpty
                ? Self.deviceSource : source.origin.rawValue,
            coverage: report.coverage.rawValue,
            revision: source.configuration?.revision, unavailableReason: reason?.rawValue,
            note: source.note,
            list: report.fences.prefix(Self.listedFences).map { fence in
                AgentStatus.Fence(
                    id: fence.id, name: fence.name, state: "\(fence.presence)",
                    signedDistanceMeters: fence.signedDistanceMeters,
                    uncertain: fence.isUncertain, since: fence.since?.utc.map(WireTime.init),
                    dwelled: fence.hasDwelled)
            })
    }

    private var recordingStatus: AgentStatus.Recording {
        switch recorder?.state {
        case nil: AgentStatus.Recording(state: "off")
        case .recording: AgentStatus.Recording(state: "recording")
        case .stopped(let reason): AgentStatus.Recording(state: "stopped", reason: reason)
        }
    }

    private func lastEvent() -> AgentStatus.LastEvent? {
        guard let event = try? queue.events(after: nil, limit: 1).last,
            let wire = try? WireCoding.decode(WireEvent.self, from: event.payload)
        else { return nil }
        return AgentStatus.LastEvent(
            sequence: wire.sequence, type: wire.type, fenceID: wire.fenceID?.text,
            detectedAt: wire.detectedAt,
            place: event.status == .acknowledged ? "received" : "stored")
    }

    /// Fences that `status` lists.
    private static let listedFences = 20
}

extension TrackingService {
    /// The newest anchor of each of the latest boots.
    func clockAnchors() -> [ClockAnchor] { queue.clockAnchors }
}
