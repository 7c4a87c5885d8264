import Campaigns
import SQLite
import Timekeeping

extension SQLiteServerStore {
    public func ingest(
        _ batch: IncomingBatch, into workspace: Int64, now: UTCTime
    ) throws(StoreError) -> [EventOutcome] {
        try writer.write { connection in
            var ingestion = try EventIngestion(
                batch, workspace: workspace, now: now, zones: self.zones, connection: connection)
            return try ingestion.run()
        }
    }
}

/// Keeps one batch within the transaction of its writer.
private struct EventIngestion {
    let batch: IncomingBatch
    let workspace: Int64
    let now: UTCTime
    let connection: Connection
    let device: Int64
    private var judge: NotificationJudge
    /// Kept now and to be judged, with their place in the batch.
    private var cases: [(place: Int, item: NotificationJudge.Case)] = []
    private var epochs: [ExactText: Epoch] = [:]
    private var boots: [ExactText: Int64] = [:]
    private var spans = EpochSpans()
    private var counts = EpochCounts()
    private var occupancies: Occupancies
    private let insertion: PreparedStatement
    private var remaining: Int?
    private var accepted = 0

    private struct Epoch {
        var id: Int64
        var ordinal: Int64
    }

    init(
        _ batch: IncomingBatch, workspace: Int64, now: UTCTime, zones: any TimeZoneSource,
        connection: Connection
    ) throws {
        self.batch = batch
        self.workspace = workspace
        self.now = now
        self.connection = connection
        device = try SQLiteServerStore.noteDevice(
            batch.deviceID, batch.report, of: workspace, now: now, on: connection)
        occupancies = Occupancies(device: device, connection: connection)
        insertion = try connection.kept(Self.insertion)
        judge = NotificationJudge(
            workspace: workspace, userID: batch.report.userID, deviceID: batch.deviceID,
            zones: zones, connection: connection)
    }

    mutating func run() throws -> [EventOutcome] {
        try keepAnchors()
        let deferral = try startQuota()
        var outcomes: [EventOutcome] = []
        outcomes.reserveCapacity(batch.events.count)
        for (place, event) in batch.events.enumerated() {
            outcomes.append(try outcome(of: event, at: place, deferral))
        }
        try judgeCases(&outcomes)
        try occupancies.write()
        try spans.write(device: device, now: now, on: connection)
        try counts.write(device: device, on: connection)
        try countAccepted()
        return outcomes
    }

    private mutating func outcome(
        of event: IncomingEvent, at place: Int, _ deferral: EventOutcome?
    ) throws -> EventOutcome {
        let beyond = (remaining.map { $0 <= accepted } ?? true) ? deferral : nil
        // Most events are new, and keeping one finds out whether its id is there. An epoch is kept
        // with its first new event only, so that one is looked up before.
        if beyond == nil, epochs[ExactText(event.queueEpoch)] != nil,
            let kept = try insert(event, at: place)
        {
            return kept
        }
        if let known = try outcomeOfKnown(event) { return known }
        return try beyond ?? insert(event, at: place) ?? .duplicate(.notApplicable)
    }

    /// What is answered beyond the quota; nil: there is none.
    private mutating func startQuota() throws -> EventOutcome? {
        guard let room = try SQLiteServerStore.workspace(workspace, on: connection) else {
            throw StoreError.failed("no workspace \(workspace)")
        }
        if room.isExpired(at: now) {
            return .deferred(code: "trial_over", retryAfterSeconds: 86_400)
        }
        guard let limit = room.limits.eventsPerMonth else { return nil }
        let used = try SQLiteServerStore.eventsThisMonth(of: workspace, now: now, on: connection)
        remaining = limit - used
        return .deferred(code: "quota_exceeded", retryAfterSeconds: 86_400)
    }

    private mutating func keepAnchors() throws {
        var boots: [String] = []
        var room = AnchorRoom(device: device, connection: connection)
        for anchor in batch.anchors {
            if try room.make(for: anchor.bootID) { boots.append(anchor.bootID) }
            try connection.run(
                """
                INSERT INTO anchors (device, boot_id, mono_ms, utc_ms, source)
                    VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """, device, anchor.bootID, anchor.monoMilliseconds,
                anchor.utc.millisecondsSince1970, anchor.source)
        }
        for boot in boots { try noteTimesOfKept(boot) }
    }

    /// The first anchor of a boot gives their times to the events that came before it.
    private mutating func noteTimesOfKept(_ boot: String) throws {
        let spans = try connection.query(
            """
            SELECT epoch, min(time), max(time) FROM (SELECT e.epoch, \(Self.detection) AS time
                FROM events e WHERE e.device = ? AND e.boot_id = ? AND e.detected_ms IS NULL)
                WHERE time IS NOT NULL GROUP BY epoch
            """, device, boot
        ) { (epoch: $0.int64(0), first: $0.time(1), last: $0.time(2)) }
        for span in spans {
            self.spans.note(span.first, ofEpoch: span.epoch)
            self.spans.note(span.last, ofEpoch: span.epoch)
        }
    }

    private static let detection = ResolvedTime.sql(
        utc: "e.detected_ms", mono: "e.mono_ms", boot: "e.boot_id", device: "e.device")

    /// Nil: no event of this id has been kept.
    private func outcomeOfKnown(_ event: IncomingEvent) throws -> EventOutcome? {
        let known = try connection.first(
            "SELECT payload_hash, verdict FROM events WHERE workspace = ? AND client_event_id = ?",
            workspace, event.clientEventID
        ) { (hash: $0.blob(0), verdict: Self.verdict($0.text(1))) }
        guard let known else { return nil }
        return known.hash == event.payloadHash ? .duplicate(known.verdict) : .idReused
    }

    private static func verdict(_ text: String) -> NotificationVerdict {
        NotificationVerdict(rawValue: text) ?? .notApplicable
    }

    /// In the order of their occurrence, whatever their order in the batch.
    private mutating func judgeCases(_ outcomes: inout [EventOutcome]) throws {
        guard !cases.isEmpty else { return }
        cases.sort { ($0.item.time, $0.item.rowID) < ($1.item.time, $1.item.rowID) }
        var verdicts: [ExactText: NotificationVerdict] = [:]
        for (place, item) in cases {
            let verdict = try judge.judge(item)
            outcomes[place] = .accepted(verdict)
            verdicts[ExactText(item.event.clientEventID)] = verdict
        }
        // The same event twice in one batch: the second was looked up before there was a verdict.
        for (place, event) in batch.events.enumerated() {
            if case .duplicate = outcomes[place],
                let verdict = verdicts[ExactText(event.clientEventID)]
            {
                outcomes[place] = .duplicate(verdict)
            }
        }
    }

    /// The event's own time, else what a clock anchor of its boot gives.
    private func occurrence(of event: IncomingEvent, rowID: Int64) throws -> UTCTime? {
        if let known = event.occurredAt { return known }
        let resolved = ResolvedTime.sql(
            utc: "e.occurred_ms", mono: "e.occurred_mono_ms", boot: "e.boot_id",
            device: "e.device")
        return try time(resolved, ofRow: rowID)
    }

    private func detection(of event: IncomingEvent, rowID: Int64) throws -> UTCTime? {
        if let known = event.detectedAt { return known }
        return try time(Self.detection, ofRow: rowID)
    }

    private func time(_ expression: String, ofRow rowID: Int64) throws -> UTCTime? {
        let found = try connection.first(
            "SELECT \(expression) FROM events e WHERE e.id = ?", rowID
        ) { $0.optionalTime(0) }
        return found ?? nil
    }

    /// Nil: something of this id is there.
    private mutating func insert(
        _ event: IncomingEvent, at place: Int
    ) throws -> EventOutcome? {
        let epoch = try epoch(event.queueEpoch)
        try write(event, epoch: epoch.id)
        guard connection.changes == 1 else { return nil }
        accepted += 1
        let rowID = connection.lastInsertRowID
        spans.note(try detection(of: event, rowID: rowID), ofEpoch: epoch.id)
        counts.note(event.sequence, ofEpoch: epoch.id)
        if NotificationJudge.concerns(event) {
            let item = NotificationJudge.Case(
                rowID: rowID, event: event, occurred: try occurrence(of: event, rowID: rowID),
                received: now)
            cases.append((place, item))
        }
        let standing = EventPlace(
            epochOrdinal: epoch.ordinal, sequence: event.sequence,
            bootOrder: try bootOrder(event.bootID), uptimeMilliseconds: event.monoMilliseconds)
        try occupancies.note(event, at: standing)
        try VisitProjection(
            workspace: workspace, device: device, place: standing, connection: connection
        ).apply(event)
        return .accepted(.notApplicable)
    }

    private static let insertion = """
        INSERT INTO events (workspace, client_event_id, payload_hash, device, epoch, seq, boot_id,
            type, fence_id, visit_id, occurred_ms, occurred_mono_ms, detected_ms, mono_ms,
            received_ms, batch_id, document)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """

    private func write(_ event: IncomingEvent, epoch: Int64) throws {
        try connection.run(insertion) { values in
            values.add(workspace)
            values.add(event.clientEventID)
            values.add(event.payloadHash)
            values.add(device)
            values.add(epoch)
            values.add(event.sequence)
            values.add(event.bootID)
            values.add(event.kind.rawValue)
            values.add(event.fenceID)
            values.add(event.visitID)
            values.add(event.occurredAt?.millisecondsSince1970)
            values.add(event.occurredMonoMilliseconds)
            values.add(event.detectedAt?.millisecondsSince1970)
            values.add(event.monoMilliseconds)
            values.add(now.millisecondsSince1970)
            values.add(batch.batchID)
            values.add(event.document)
        }
    }

    private mutating func epoch(_ name: String) throws -> Epoch {
        if let known = epochs[ExactText(name)] { return known }
        try connection.run(
            """
            INSERT INTO epochs (device, epoch, ordinal, first_seen_ms)
                VALUES (?, ?, (SELECT coalesce(max(ordinal), 0) + 1 FROM epochs WHERE device = ?),
                    ?) ON CONFLICT DO NOTHING
            """, device, name, device, now.millisecondsSince1970)
        let found = try connection.first(
            "SELECT id, ordinal FROM epochs WHERE device = ? AND epoch = ?", device, name
        ) { Epoch(id: $0.int64(0), ordinal: $0.int64(1)) }
        guard let found else { throw StoreError.failed("epoch '\(name)' was not kept") }
        epochs[ExactText(name)] = found
        return found
    }

    /// The row of a boot, which is made at its first event.
    private mutating func bootOrder(_ name: String) throws -> Int64 {
        if let known = boots[ExactText(name)] { return known }
        let found = try connection.first(
            "SELECT id FROM boots WHERE device = ? AND boot_id = ?", device, name
        ) { $0.int64(0) }
        if found == nil {
            try connection.run(
                "INSERT INTO boots (device, boot_id) VALUES (?, ?)", device, name)
        }
        let order = found ?? connection.lastInsertRowID
        boots[ExactText(name)] = order
        return order
    }

    private func countAccepted() throws {
        guard accepted > 0 else { return }
        try connection.run(
            """
            INSERT INTO usage (workspace, month, events) VALUES (?, ?, ?)
                ON CONFLICT DO UPDATE SET events = events + excluded.events
            """, workspace, SQLiteServerStore.month(of: now), accepted)
    }
}

extension SQLiteServerStore {
    /// 202601 for January 2026.
    static func month(of time: UTCTime) -> Int { time.date.year * 100 + time.date.month }

    static func eventsThisMonth(
        of workspace: Int64, now: UTCTime, on connection: Connection
    ) throws -> Int {
        try connection.first(
            "SELECT events FROM usage WHERE workspace = ? AND month = ?", workspace, month(of: now)
        ) { $0.int(0) } ?? 0
    }
}
