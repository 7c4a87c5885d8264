import Timekeeping

extension WireEvent {
    /// Reads an event as agents write it, without a decoder and at a tenth of its cost.
    ///
    /// Nil for everything out of the ordinary, such as a whole number written with decimals or a
    /// decision with its basis: what that means, and whether it is an event, the decoder says. What
    /// is not nil is what the decoder would answer.
    public init?(plain node: JSONNode) {
        var fields = Fields()
        guard node.withPlain({ fields.read($0) }), let clientEventID = fields.clientEventID,
            let queueEpoch = fields.queueEpoch, let sequence = fields.sequence,
            let bootID = fields.bootID, let type = fields.type, let wallAt = fields.wallAt,
            let wallSynchronised = fields.wallSynchronised,
            let timeQuality = fields.timeQuality, let initial = fields.initial,
            let inferred = fields.inferred, let notification = fields.notification
        else { return nil }
        self.clientEventID = clientEventID
        self.queueEpoch = queueEpoch
        self.sequence = sequence
        self.bootID = bootID
        self.type = type
        fenceID = fields.fenceID
        fenceVersion = fields.fenceVersion
        visitID = fields.visitID
        occurredAt = fields.occurredAt
        occurredUncertaintySeconds = fields.occurredUncertaintySeconds
        occurredMonoMilliseconds = fields.occurredMonoMilliseconds
        detectedAt = fields.detectedAt
        monoMilliseconds = fields.monoMilliseconds
        self.wallAt = wallAt
        self.wallSynchronised = wallSynchronised
        self.timeQuality = timeQuality
        self.initial = initial
        self.inferred = inferred
        reason = fields.reason
        position = fields.position
        evidence = fields.evidence
        durationSeconds = fields.durationSeconds
        self.notification = notification
        serverNotificationVerdict = fields.serverNotificationVerdict
        evicted = fields.evicted
    }

    private struct Fields {
        private static let names = MemberNames<CodingKeys>()

        var clientEventID: WireID?
        var queueEpoch: String?
        var sequence: Int64?
        var bootID: String?
        var type: String?
        var fenceID: WireID?
        var fenceVersion: Int?
        var visitID: WireID?
        var occurredAt: WireTime?
        var occurredUncertaintySeconds: Double?
        var occurredMonoMilliseconds: Int64?
        var detectedAt: WireTime?
        var monoMilliseconds: Int64?
        var wallAt: WireTime?
        var wallSynchronised: Bool?
        var timeQuality: String?
        var initial: Bool?
        var inferred: Bool?
        var reason: String?
        var position: WirePosition?
        var evidence: WireEvidence?
        var durationSeconds: Double?
        var notification: WireNotification?
        var serverNotificationVerdict: String?
        var evicted: WireEvicted?

        /// False where something is out of the ordinary.
        mutating func read(_ node: PlainNode) -> Bool {
            node.takeMembers(Self.names) { key, value in
                switch key {
                case .clientEventID: value.take(&clientEventID)
                case .queueEpoch: value.take(&queueEpoch)
                case .sequence: value.take(&sequence)
                case .bootID: value.take(&bootID)
                case .type: value.take(&type)
                case .fenceID: value.take(&fenceID)
                case .fenceVersion: value.take(&fenceVersion)
                case .visitID: value.take(&visitID)
                case .occurredAt: value.take(&occurredAt)
                case .occurredUncertaintySeconds: value.take(&occurredUncertaintySeconds)
                case .occurredMonoMilliseconds: value.take(&occurredMonoMilliseconds)
                case .detectedAt: value.take(&detectedAt)
                case .monoMilliseconds: value.take(&monoMilliseconds)
                case .wallAt: value.take(&wallAt)
                case .wallSynchronised: value.take(&wallSynchronised)
                case .timeQuality: value.take(&timeQuality)
                case .initial: value.take(&initial)
                case .inferred: value.take(&inferred)
                case .reason: value.take(&reason)
                case .position: value.take(&position)
                case .evidence: value.take(&evidence)
                case .durationSeconds: value.take(&durationSeconds)
                case .notification: value.take(&notification)
                case .serverNotificationVerdict: value.take(&serverNotificationVerdict)
                case .evicted: value.take(&evicted)
                }
            }
        }
    }
}

extension WirePosition: PlainJSON {
    private static let names = MemberNames<CodingKeys>()

    init?(plain node: PlainNode) {
        var (lat, lon, accuracy, speed, course, hdop) =
            (Double?.none, Double?.none, Double?.none, Double?.none, Double?.none, Double?.none)
        var (quality, source) = (String?.none, String?.none)
        var satellites: Int?
        var flags: [String]?
        let isPlain = node.takeMembers(Self.names) { key, value in
            switch key {
            case .lat: value.take(&lat)
            case .lon: value.take(&lon)
            case .accuracyMeters: value.take(&accuracy)
            case .speed: value.take(&speed)
            case .course: value.take(&course)
            case .quality: value.take(&quality)
            case .satellites: value.take(&satellites)
            case .hdop: value.take(&hdop)
            case .source: value.take(&source)
            case .integrityFlags: value.take(&flags)
            }
        }
        guard isPlain, let lat, let lon, let quality, let source, let flags else { return nil }
        self.lat = lat
        self.lon = lon
        accuracyMeters = accuracy
        self.speed = speed
        self.course = course
        self.quality = quality
        self.satellites = satellites
        self.hdop = hdop
        self.source = source
        integrityFlags = flags
    }
}

extension WireEvidence: PlainJSON {
    private static let names = MemberNames<CodingKeys>()

    init?(plain node: PlainNode) {
        var (rule, confirmations, stationary) = (String?.none, Int?.none, Bool?.none)
        var (distance, accuracy, span, gap, chord) =
            (Double?.none, Double?.none, Double?.none, Double?.none, Double?.none)
        var (entered, left) = (WireTime?.none, WireTime?.none)
        let isPlain = node.takeMembers(Self.names) { key, value in
            switch key {
            case .rule: value.take(&rule)
            case .confirmations: value.take(&confirmations)
            case .stationary: value.take(&stationary)
            case .signedDistanceMeters: value.take(&distance)
            case .accuracyMeters: value.take(&accuracy)
            case .spanSeconds: value.take(&span)
            case .gapSeconds: value.take(&gap)
            case .entered: value.take(&entered)
            case .left: value.take(&left)
            case .chordMeters: value.take(&chord)
            }
        }
        guard isPlain, let rule, let confirmations, let stationary, let span else { return nil }
        self.rule = rule
        signedDistanceMeters = distance
        accuracyMeters = accuracy
        self.confirmations = confirmations
        spanSeconds = span
        gapSeconds = gap
        self.stationary = stationary
        self.entered = entered
        self.left = left
        chordMeters = chord
    }
}

extension WireNotification: PlainJSON {
    private static let names = MemberNames<CodingKeys>()

    init?(plain node: PlainNode) {
        var (decision, reason) = (String?.none, String?.none)
        var campaignID: WireID?
        var campaignVersion: Int?
        let isPlain = node.takeMembers(Self.names) { key, value in
            switch key {
            case .decision: value.take(&decision)
            case .reason: value.take(&reason)
            case .campaignID: value.take(&campaignID)
            case .campaignVersion: value.take(&campaignVersion)
            case .basis: value.kind == .null
            }
        }
        guard isPlain, let decision else { return nil }
        self.decision = decision
        self.reason = reason
        self.campaignID = campaignID
        self.campaignVersion = campaignVersion
        basis = nil
    }
}

extension WireEvicted: PlainJSON {
    private static let names = MemberNames<CodingKeys>()

    init?(plain node: PlainNode) {
        var kind: String?
        var (count, first, last) = (Int64?.none, Int64?.none, Int64?.none)
        let isPlain = node.takeMembers(Self.names) { key, value in
            switch key {
            case .kind: value.take(&kind)
            case .count: value.take(&count)
            case .firstSequence: value.take(&first)
            case .lastSequence: value.take(&last)
            }
        }
        guard isPlain, let kind, let count, let first, let last else { return nil }
        self.kind = kind
        self.count = count
        firstSequence = first
        lastSequence = last
    }
}
