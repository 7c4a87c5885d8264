import GeofenceAgent
import Geofencing
import NMEA
import Positioning
import Timekeeping
import WireFormat

/// Runs a recording, or any track, through the agent's own pipeline.
///
/// The same input gives the same decisions, byte for byte: every timer runs on the recording's own
/// uptime, and nothing else is asked for the time.
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

    /// Why the replay proves nothing: inputs that this version does not know, by kind.
    public private(set) var unknownInputs: [String] = []
    /// Fences that could not be measured, each with its defect.
    public private(set) var refusedFences: [RefusedFence] = []
    public private(set) var pipeline: TrackingPipeline

    private static let bootID = BootID("00000000000000000000000000000000")
    private var source: Source
    private var rules: PipelineRules
    private let fixedFences: [Fence]?
    private var fences: [Fence] = []
    private var persisted: PipelineState?
    private var decoder: RecordedBytes?

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
        self.rules = rules
        fixedFences = fences
        pipeline = TrackingPipeline(rules: rules, bootID: Self.bootID)
        guard let fences else { return }
        self.fences = fences
        let output = pipeline.replaceFences(
            fences, at: Uptime(milliseconds: 0), wallClock: Self.wallClock)
        refusedFences = output.refusedFences
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
            if let record { return try run(record) }
            return finish()
        }
    }

    private mutating func run(_ record: RecordingRecord) throws(RecordingError) -> Step {
        var step = Step(milliseconds: record.milliseconds, transitions: [])
        let now = Uptime(milliseconds: record.milliseconds)
        decodePause(until: now, &step)
        take(pipeline.tick(at: now, wallClock: Self.wallClock), &step)
        switch record.content {
        case .header(let header): begin(header)
        case .fences(let wire): try replaceFences(wire, at: now, &step)
        case .raw(let bytes): decode(bytes, at: now, &step)
        case .fix(let fix): ingest(fix, &step)
        case .hint(let stationary):
            take(
                pipeline.hint(stationary: stationary, at: now, wallClock: Self.wallClock), &step)
        case .restart: restart(at: now, &step)
        case .decision(let decision): step.recorded = decision
        case .unknownInput(let kind):
            if !unknownInputs.contains(kind) { unknownInputs.append(kind) }
        case .mark, .network, .filter, .ignored: break
        }
        return step
    }

    private mutating func begin(_ header: RecordingHeader) {
        guard persisted == nil, fences.isEmpty || fixedFences != nil, let wire = header.rules
        else { return }
        rules = PipelineRules(wire, over: rules)
        pipeline = TrackingPipeline(rules: rules, bootID: Self.bootID)
        guard let fixedFences else { return }
        _ = pipeline.replaceFences(
            fixedFences, at: Uptime(milliseconds: 0), wallClock: Self.wallClock)
    }

    private mutating func replaceFences(
        _ wire: [WireFence], at now: Uptime, _ step: inout Step
    ) throws(RecordingError) {
        guard fixedFences == nil else { return }
        var list: [Fence] = []
        for (index, fence) in wire.enumerated() {
            do throws(WireError) {
                list.append(try fence.fence(at: "/fences/\(index)"))
            } catch {
                throw RecordingError(line: line, detail: error.description)
            }
        }
        fences = list
        take(pipeline.replaceFences(list, at: now, wallClock: Self.wallClock), &step)
    }

    /// The process starts again from what it had persisted; the cached fences are monitored at once.
    private mutating func restart(at now: Uptime, _ step: inout Step) {
        pipeline = TrackingPipeline(rules: rules, bootID: Self.bootID, restoring: persisted)
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

    private var line: Int {
        if case .recording(let reader) = source { reader.line } else { 0 }
    }

    /// The recording says nothing about the wall clock, and no decision depends on it.
    private static let wallClock = WallClockReading(
        time: UTCTime(millisecondsSince1970: 0), isSynchronised: false)

    // MARK: - Raw bytes

    private mutating func decode(_ bytes: [UInt8], at now: Uptime, _ step: inout Step) {
        if decoder == nil {
            decoder = RecordedBytes()
            pipeline.sourceOpened()
        }
        for fix in decoder?.consume(bytes, at: now) ?? [] { ingest(fix, &step) }
    }

    private mutating func decodePause(until now: Uptime, _ step: inout Step) {
        for fix in decoder?.pause(until: now) ?? [] { ingest(fix, &step) }
    }

    /// The end of the recording ends the epoch that is still open.
    private mutating func finish() -> Step? {
        guard let rest = decoder?.finish() else { return nil }
        decoder = nil
        guard let last = rest.last else { return nil }
        var step = Step(milliseconds: last.uptime.milliseconds, transitions: [])
        for fix in rest { ingest(fix, &step) }
        return step
    }
}
