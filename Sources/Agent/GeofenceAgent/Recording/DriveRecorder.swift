import Geofencing
import Positioning
import Timekeeping
import WireFormat

/// Turns what the control loop takes in and decides into the lines of a recording, in that order,
/// so that a replay goes through the same states and decides the same.
///
/// Invariants:
/// - An input is written before the decisions that it leads to.
/// - `m` never decreases; an input that arrived before something else that was written has its own
///   time in `at`.
/// - What could not be written is announced before anything else is: a recording with a hole says
///   that it has one.
struct DriveRecorder: Sendable {
    private let sink: any RecordingSink
    private let started: Uptime
    private let partBytes: Int
    /// What a part spans at most: it is deleted as a whole, by the age of its last line.
    private let partMilliseconds: Int64
    private var header: RecordingHeader
    private var fences: RecordedFences?
    private var milliseconds: Int64 = 0
    private var bytes = 0
    private var isPartDue = true
    private var partStart: Int64 = 0
    private var lost = 0
    private var network: Bool?

    /// `header` has the run whose `m` counts from `started`; a part of more than `partBytes`, or
    /// of `partSeconds`, is followed by the next.
    init(
        _ header: RecordingHeader, started: Uptime, partBytes: Int, partSeconds: Int64,
        to sink: any RecordingSink
    ) {
        self.header = header
        self.started = started
        self.partBytes = partBytes
        partMilliseconds = min(partSeconds, 1_000_000_000) * 1000
        self.sink = sink
    }

    /// How the recording does.
    var state: RecordingState { sink.state }

    /// Writes the header, so that a recording of nothing says that it is one.
    mutating func begin(utc: UTCTime?) {
        write(nil, at: started, arrived: nil, utc: utc)
    }

    /// What happened at `now`, which is never before what was recorded last; `arrived` is when a
    /// source took it in.
    mutating func record(
        _ content: RecordingRecord.Content, at now: Uptime, arrived: Uptime? = nil,
        utc: UTCTime? = nil
    ) {
        write(content, at: now, arrived: arrived, utc: utc)
    }

    private mutating func write(
        _ content: RecordingRecord.Content?, at now: Uptime, arrived: Uptime?, utc: UTCTime?
    ) {
        guard case .recording = sink.state else { return }
        milliseconds = max(milliseconds, now.milliseconds - started.milliseconds)
        if bytes >= partBytes || milliseconds - partStart >= partMilliseconds {
            isPartDue = true
        }
        let own = arrived.map { max(0, $0.milliseconds - started.milliseconds) }
        var lines: [UInt8] = []
        do {
            if isPartDue { lines += try beginning(utc) }
            if lost > 0 { lines += try line(.gap(lost: lost), utc) }
            if let content {
                lines += try RecordingWriter.line(
                    RecordingRecord(
                        milliseconds: milliseconds, utc: utc,
                        arrivedMilliseconds: own == milliseconds ? nil : own, content))
            }
        } catch {
            // Only a number that JSON cannot spell gets here; the record is missing, and said so.
            lost += 1
            return
        }
        guard sink.append(lines, startsPart: isPartDue) else {
            lost += 1
            return
        }
        if isPartDue {
            header.run?.part += 1
            bytes = 0
            partStart = milliseconds
        }
        isPartDue = false
        lost = 0
        bytes += lines.count
    }

    /// The set that is monitored from now on.
    mutating func record(
        _ fences: [Fence], kept: [String], configuration: RemoteConfiguration?, at now: Uptime,
        utc: UTCTime? = nil
    ) {
        let set = RecordedFences(
            fences.map(WireFence.init), kept: kept.isEmpty ? nil : kept,
            config: configuration.map(WireConfig.init))
        record(.fences(set), at: now, utc: utc)
        self.fences = RecordedFences(set.fences, config: set.config, isRepeated: true)
    }

    /// What a source told, as far as it is an input.
    mutating func record(_ event: SourceEvent, at now: Uptime, utc: UTCTime?) {
        switch event {
        case .received(let reception):
            let content: RecordingRecord.Content =
                switch reception.input {
                case .bytes(let bytes): .raw(bytes)
                case .pause: .source(.paused)
                case .end: .source(.ended)
                }
            record(content, at: reception.uptime, arrived: reception.uptime, utc: utc)
        case .opened: record(.source(.opened), at: now, utc: utc)
        case .report(let bytes, let uptime):
            record(.report(bytes), at: uptime, arrived: uptime, utc: utc)
        case .fix(let fix):
            record(.fix(fix), at: fix.uptime, arrived: fix.uptime, utc: utc)
        case .health: break
        }
    }

    /// Whether the server answers, where that is news.
    mutating func record(serverAnswers isReached: Bool, at now: Uptime, utc: UTCTime?) {
        guard network != isReached else { return }
        network = isReached
        record(.network(link: nil, server: isReached), at: now, utc: utc)
    }

    /// Inputs that were lost before they came here.
    mutating func noteLost(_ count: Int) {
        lost += count
    }

    /// Writes everything and ends.
    func close() { sink.close() }

    /// What a part begins with: all that the parts before said about rules and fences.
    private func beginning(_ utc: UTCTime?) throws -> [UInt8] {
        var lines = try line(.header(header), utc)
        if let fences, header.run?.part != 1 { lines += try line(.fences(fences), utc) }
        return lines
    }

    private func line(_ content: RecordingRecord.Content, _ utc: UTCTime?) throws -> [UInt8] {
        try RecordingWriter.line(
            RecordingRecord(milliseconds: milliseconds, utc: utc, content))
    }
}
