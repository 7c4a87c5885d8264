import Geofencing
import Positioning
import Timekeeping
import WireFormat

extension TrackingService {
    /// Starts the recording of this run; before anything that it should hold.
    func beginRecording() {
        guard let plan = settings.recording else { return }
        let trusted = lastTrusted()
        let header = RecordingHeader(
            agentVersion: ProjectVersion.current, receiver: plan.receiver, rules: plan.rules,
            buildFloor: UTCTime(
                millisecondsSince1970: dateFloor().daysSince1970 * UTCTime.millisecondsPerDay),
            profile: plan.profile, configuration: plan.configuration,
            run: RecordingHeader.Run(
                bootID: bootID, started: started, trustedTime: trusted?.time,
                trustedUptime: trusted?.uptime))
        recorder = DriveRecorder(
            header, started: started, partBytes: plan.partBytes,
            partSeconds: plan.partSeconds, to: plan.sink)
        recorder?.begin(utc: utc(at: time.uptime))
    }

    func record(_ content: RecordingRecord.Content, at now: Uptime) {
        recorder?.record(content, at: now, utc: utc(at: now))
    }

    /// The set that the pipeline has, or is about to be handed.
    func record(_ fences: [Fence], configuration: RemoteConfiguration?, at now: Uptime) {
        guard recorder != nil else { return }
        let named = Set(fences.map(\.id))
        let kept = pipeline.tracker.activePool.map(\.fence).filter { !named.contains($0.id) }
        recorder?.record(
            fences + kept, kept: kept.map(\.id), configuration: configuration, at: now,
            utc: utc(at: now))
    }

    /// Decisions, after the input that led to them.
    func record(_ transitions: [Transition]) {
        guard recorder != nil else { return }
        let now = time.uptime
        for transition in transitions where transition.isReported {
            record(.decision(WireDecision(transition)), at: transition.detected.uptime ?? now)
        }
    }

    func isKnown(fence id: String) -> Bool { fenceList().fences.contains { $0.id == id } }

    /// What a person saw. Throws where nothing is recorded.
    func mark(label: String?, fence: String?, kind: String?) throws(MarkError) -> MarkAnswer {
        guard let recorder else { throw .off }
        if case .stopped(let reason) = recorder.state { throw .stopped(reason: reason) }
        let now = time.uptime
        record(.mark(fence: fence, kind: kind, label: label), at: now)
        return MarkAnswer(
            monoMilliseconds: now.milliseconds, time: utc(at: now).map(WireTime.init))
    }

    /// UTC of an uptime of this boot; nil: no trusted time is known.
    func utc(at uptime: Uptime) -> UTCTime? { clock.anchor?.utc(at: uptime) }

    func utc(of event: SourceEvent) -> UTCTime? {
        switch event {
        case .received(let reception): utc(at: reception.uptime)
        case .report(_, let uptime): utc(at: uptime)
        case .fix(let fix): utc(at: fix.uptime)
        case .opened, .health: utc(at: time.uptime)
        }
    }
}

/// Why a mark cannot be kept.
enum MarkError: Error, Hashable, CustomStringConvertible {
    case off
    case stopped(reason: String)

    var description: String {
        switch self {
        case .off: "nothing is recorded: set recording.enabled to true and restart the agent"
        case .stopped(let reason): "the recording has stopped: \(reason)"
        }
    }
}

extension FenceFetchOutcome {
    /// Whether the server was reached and gave fences, old or new.
    var isAnswer: Bool {
        if case .failed = self { false } else { true }
    }
}
