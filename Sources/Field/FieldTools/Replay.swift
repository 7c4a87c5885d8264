import GeofenceAgent
import Geofencing
import NMEA
import Positioning
import Snapshots
import Timekeeping
import WireFormat

/// Runs a recording, or any track, through the agent's own pipeline.
///
/// The same input gives the same decisions, byte for byte: every timer runs on the recording's own
/// uptime, and nothing else is asked for the time. What an agent recorded is decided again in the
/// order in which the agent had its inputs, and compared with what it decided.
public struct Replay: Sendable {
    /// One input of the recording, done.
    public struct Step: Sendable {
        /// Uptime since the start of the recording.
        public var milliseconds: Int64
        /// Transitions that the fences report, in order.
        public var transitions: [Transition]
        /// The gate's opinion of the last fix of the step; nil: there was none.
        public var verdict: FixVerdict?
        /// What the recording itself says was decided here.
        public var recorded: WireDecision?
    }

    /// Inputs that this version does not know, by kind: the replay proves nothing.
    public private(set) var unknownInputs: [String] = []
    /// Other reasons why the replay proves nothing, in the order in which they were met.
    public private(set) var doubts: [String] = []
    /// Fences that could not be measured, each with its defect.
    public private(set) var refusedFences: [RefusedFence] = []
    /// The recorded decisions against those made here.
    public private(set) var comparison = DecisionComparison()
    public internal(set) var pipeline: TrackingPipeline

    private static let bootID = BootID("00000000000000000000000000000000")
    private var source: Source
    private let givenRules: PipelineRules
    private var rules: PipelineRules
    private let fixedFences: [Fence]?
    private var fences: [Fence] = []
    private var persisted: PipelineState?
    private var decoder: RecordedBytes?
    private var decoderConfiguration = NMEADecoder.Configuration()
    /// The agent's run that is under replay; nil for recordings that no agent made.
    private var run: RecordingHeader.Run?

    private enum Source: Sendable {
        case recording(RecordingReader)
        case track(ArraySlice<Fix>)
    }

    /// - Parameters:
    ///   - bytes: a recording or a track in any form that `TrackFile` reads.
    ///   - fences: replace those of the recording; nil: its own.
    ///   - rules: hold until a recording's header speaks.
    public init(
        _ bytes: [UInt8], fences: [Fence]? = nil, rules: PipelineRules = PipelineRules()
    ) throws(RecordingError) {
        if RecordingReader.recognises(bytes) {
            source = .recording(RecordingReader(bytes))
        } else {
            source = .track(try TrackFile.fixes(of: bytes)[...])
        }
        givenRules = rules
        self.rules = rules
        fixedFences = fences
        pipeline = TrackingPipeline(rules: rules, bootID: Self.bootID)
        setFixedFences()
    }

    /// Goes on with the next part or recording, once `next` has given nil.
    public mutating func proceed(to bytes: [UInt8]) throws(RecordingError) {
        guard RecordingReader.recognises(bytes) else {
            throw RecordingError(line: 1, detail: "not a recording, as the file before it is")
        }
        source = .recording(RecordingReader(bytes))
    }

    /// Whether the last line of the recording was torn by a power cut.
    public var isTorn: Bool {
        if case .recording(let reader) = source { reader.isTorn } else { false }
    }

    /// Does the next input; nil at the end.
    public mutating func next() throws(RecordingError) -> Step? {
        switch source {
        case .track(var rest):
            guard let fix = rest.popFirst() else { return nil }
            source = .track(rest)
            var step = Step(milliseconds: fix.uptime.milliseconds, transitions: [])
            ingest(fix, &step)
            return step
        case .recording(var reader):
            let record = try reader.next()
            source = .recording(reader)
            guard let record else { return finish() }
            let step = try take(record)
            comparison.note(step, input: record.content.direction == "in")
            return step
        }
    }

    /// Nothing more comes: what is left over in the comparison counts.
    public mutating func conclude() {
        comparison.endRun()
    }

    private mutating func take(_ record: RecordingRecord) throws(RecordingError) -> Step {
        var step = Step(milliseconds: record.milliseconds, transitions: [])
        if case .header(let header) = record.content {
            begin(header)
            return step
        }
        let now = uptime(record.milliseconds)
        if run == nil { letTimePass(to: now, &step) }
        try take(record, at: now, &step)
        return step
    }

    private mutating func take(
        _ record: RecordingRecord, at now: Uptime, _ step: inout Step
    ) throws(RecordingError) {
        let arrived = record.arrivedMilliseconds.map(uptime) ?? now
        switch record.content {
        case .fences(let set): try replaceFences(set, at: now, &step)
        case .raw(let bytes): decode(bytes, at: arrived, &step)
        case .source(let event): take(event, at: arrived, &step)
        case .fix(var fix):
            fix.uptime = arrived
            ingest(fix, &step)
        case .hint(let stationary):
            take(
                pipeline.hint(stationary: stationary, at: now, wallClock: Self.wallClock), &step)
        case .tick: take(pipeline.tick(at: now, wallClock: Self.wallClock), &step)
        case .restart(let state): try restart(state, at: now, &step)
        case .gap(let lost): doubt("\(lost) records were lost before line \(line)")
        case .decision(let decision): step.recorded = decision
        case .unknownInput(let kind):
            if !unknownInputs.contains(kind) { unknownInputs.append(kind) }
        case .header, .mark, .network, .filter, .report, .ignored: break
        }
    }

    private func uptime(_ milliseconds: Int64) -> Uptime {
        Uptime(milliseconds: milliseconds).advanced(
            byMilliseconds: run?.startedMilliseconds ?? 0)
    }

    private mutating func doubt(_ reason: String) {
        doubts.append(reason)
        comparison.giveUp()
    }

    private var line: Int {
        if case .recording(let reader) = source { reader.line } else { 0 }
    }

    /// The recording says nothing about the wall clock, and no decision depends on it.
    private static let wallClock = WallClockReading(
        time: UTCTime(millisecondsSince1970: 0), isSynchronised: false)

    // MARK: - Headers

    private mutating func begin(_ header: RecordingHeader) {
        if let next = header.run {
            begin(header, next)
        } else if persisted == nil, fences.isEmpty || fixedFences != nil {
            configureDecoder(header)
            guard header.rules != nil || header.profile != nil else { return }
            start(header, bootID: Self.bootID)
        }
    }

    /// Another run starts afresh; the next part of the same run changes nothing.
    private mutating func begin(_ header: RecordingHeader, _ next: RecordingHeader.Run) {
        if let run, run.id == next.id, next.part == run.part + 1 {
            self.run = next
            return
        }
        comparison.endRun()
        run = next
        decoder = nil
        persisted = nil
        fences = []
        configureDecoder(header)
        decoder = RecordedBytes(decoderConfiguration)
        start(header, bootID: BootID(next.bootID))
        comparison.isWhole = true
        if fixedFences != nil { comparison.giveUp() }
        guard next.part > 1 else { return }
        doubt(
            "part \(next.part) of a run starts in the middle of it, and part \(next.part - 1) is "
                + "not before it")
    }

    private mutating func configureDecoder(_ header: RecordingHeader) {
        decoderConfiguration = NMEADecoder.Configuration(dateFloor: header.buildFloor?.time.date)
        guard let time = header.run?.trustedTime?.time,
            let uptime = header.run?.trustedMilliseconds
        else { return }
        decoderConfiguration.lastTrusted = TrustedTime(
            time: time, uptime: Uptime(milliseconds: uptime))
    }

    private mutating func start(_ header: RecordingHeader, bootID: BootID) {
        let profile = header.profile.flatMap(DeviceSettings.Profile.init(rawValue:))
        rules = PipelineRules(header.rules, profile: profile ?? .vehicle, over: givenRules)
        pipeline = TrackingPipeline(rules: rules, bootID: bootID)
        setFixedFences()
    }

    // MARK: - Fences and state

    private mutating func setFixedFences() {
        guard let fixedFences else { return }
        fences = fixedFences
        let output = pipeline.replaceFences(
            fixedFences, at: uptime(0), wallClock: Self.wallClock)
        refusedFences = output.refusedFences
    }

    private mutating func replaceFences(
        _ set: RecordedFences, at now: Uptime, _ step: inout Step
    ) throws(RecordingError) {
        let isContinued = set.isRepeated == true && (run?.part ?? 1) > 1 && !fences.isEmpty
        guard fixedFences == nil, !isContinued else { return }
        var list: [Fence] = []
        for (index, fence) in set.fences.enumerated() {
            do throws(WireError) {
                list.append(try fence.fence(at: "/fences/\(index)"))
            } catch {
                throw RecordingError(line: line, detail: error.description)
            }
        }
        fences = list
        take(
            pipeline.replaceFences(
                list, keeping: Set(set.kept ?? []),
                configuration: set.config?.remoteConfiguration, at: now,
                wallClock: Self.wallClock), &step)
    }

    /// The process starts again from what it had persisted. Where the recording carries that state
    /// it also says which fences were monitored then; else the present ones are, at once.
    private mutating func restart(
        _ state: [UInt8]?, at now: Uptime, _ step: inout Step
    ) throws(RecordingError) {
        if let state {
            do throws(WireError) {
                persisted = try WireCoding.decode(PipelineState.self, from: state)
            } catch {
                throw RecordingError(line: line, detail: "state: \(error.description)")
            }
        }
        do throws(SnapshotError) {
            _ = try persisted?.snapshot?.read()
        } catch {
            doubt("the snapshot of line \(line) is not one of this version: \(error)")
        }
        pipeline = TrackingPipeline(
            rules: rules, bootID: run.map { BootID($0.bootID) } ?? Self.bootID,
            restoring: persisted)
        guard state == nil || fixedFences != nil else { return }
        decoder = nil
        take(pipeline.replaceFences(fences, at: now, wallClock: Self.wallClock), &step)
    }

    private mutating func ingest(_ fix: Fix, _ step: inout Step) {
        take(pipeline.ingest(fix, wallClock: Self.wallClock), &step)
    }

    private mutating func take(_ output: PipelineOutput, _ step: inout Step) {
        if output.stateChanged { persisted = pipeline.persistedState }
        if let verdict = output.verdict { step.verdict = verdict }
        if !output.refusedFences.isEmpty { refusedFences = output.refusedFences }
        for transition in output.transitions where transition.isReported {
            step.transitions.append(transition)
        }
    }

    // MARK: - Received bytes

    private mutating func decode(_ bytes: [UInt8], at now: Uptime, _ step: inout Step) {
        if decoder == nil {
            decoder = RecordedBytes(decoderConfiguration)
            pipeline.sourceOpened()
        }
        for fix in decoder?.consume(bytes, at: now) ?? [] { ingest(fix, &step) }
    }

    private mutating func take(
        _ event: RecordedSourceEvent, at now: Uptime, _ step: inout Step
    ) {
        switch event {
        case .opened: pipeline.sourceOpened()
        case .paused: for fix in decoder?.idle(at: now) ?? [] { ingest(fix, &step) }
        case .ended: for fix in decoder?.finish(at: now) ?? [] { ingest(fix, &step) }
        }
    }

    /// Where pauses and ticks are not recorded they follow from the time of the next record.
    private mutating func letTimePass(to now: Uptime, _ step: inout Step) {
        for fix in decoder?.pause(until: now) ?? [] { ingest(fix, &step) }
        take(pipeline.tick(at: now, wallClock: Self.wallClock), &step)
    }

    /// The end of a recording that no agent made ends the epoch that is still open.
    private mutating func finish() -> Step? {
        guard run == nil, let rest = decoder?.finish() else { return nil }
        decoder = nil
        guard let last = rest.last else { return nil }
        var step = Step(milliseconds: last.uptime.milliseconds, transitions: [])
        for fix in rest { ingest(fix, &step) }
        comparison.note(step, input: true)
        return step
    }
}
