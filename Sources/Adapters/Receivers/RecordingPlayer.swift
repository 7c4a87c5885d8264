import Glibc
import LinuxSystem
import NMEA
import Positioning
import Timekeeping
import WireFormat

/// What the thread of a `RecordedFileSource` does: reads a file and lets its time pass.
struct RecordingPlayer {
    private static let chunkSize = 65_536
    /// A longer gap between two epochs of a log is no pause of one drive: the next one follows at once.
    static let longestGapMilliseconds: Int64 = 3_600_000

    private let configuration: RecordedFileSource.Configuration
    private let timekeeper: any Timekeeper
    private let published: RecordingPublication
    private let stop: WakeEvent
    private let deliver: @Sendable (SourceEvent) -> Void
    private let start: Uptime
    /// Recorded time passes by the machine's clock, whatever the agent's is.
    private let pace = SystemTimekeeper()
    private let paceStart: Uptime
    private var reporter = HealthReporter()
    /// Recorded milliseconds since the start of the file.
    private var position: Int64 = 0
    private var lastEpoch: UTCTime?
    private var isStopped = false

    init(
        _ configuration: RecordedFileSource.Configuration, _ timekeeper: any Timekeeper,
        _ published: RecordingPublication, _ stop: WakeEvent,
        _ deliver: @escaping @Sendable (SourceEvent) -> Void
    ) {
        self.configuration = configuration
        self.timekeeper = timekeeper
        self.published = published
        self.stop = stop
        self.deliver = deliver
        start = timekeeper.uptime
        paceStart = pace.uptime
    }

    mutating func run() {
        do throws(SystemError) {
            let file = try FileDescriptor.open(configuration.path, O_RDONLY)
            var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
            let count = try file.read(into: &buffer)
            let first = buffer[..<count]
            deliver(.opened)
            if first.starts(with: [0x1F, 0x8B]) {
                return tell(.noData, "\(configuration.path) is compressed: gunzip it first")
            }
            if first.first == UInt8(ascii: "{") {
                try playRecording(file, first)
            } else {
                try playLog(file, first)
            }
            if !isStopped { tell(.noData, "\(configuration.path) ends here") }
        } catch {
            tell(error.code == EACCES ? .permissionDenied : .noDevice, "\(error)")
        }
    }

    // MARK: An NMEA log

    private mutating func playLog(
        _ file: borrowing FileDescriptor, _ first: ArraySlice<UInt8>
    ) throws(SystemError) {
        var settings = configuration.decoder
        settings.isFile = true
        var decoder = NMEADecoder(configuration: settings)
        var chunk = first
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        while !chunk.isEmpty, !isStopped {
            decoder.consume(chunk, at: start) { play(epoch: $0) }
            publish(decoder)
            let count = try file.read(into: &buffer)
            chunk = buffer[..<count]
        }
        decoder.finish(at: start) { play(epoch: $0) }
        publish(decoder)
    }

    private mutating func play(epoch fix: Fix) {
        if let time = fix.time {
            let gap = lastEpoch.map { time.milliseconds(since: $0) } ?? 0
            if (0...Self.longestGapMilliseconds).contains(gap) { position += gap }
            lastEpoch = time
        }
        wait(until: position)
        var fix = fix
        fix.uptime = start.advanced(byMilliseconds: position)
        send(fix)
    }

    // MARK: A recording

    private mutating func playRecording(
        _ file: borrowing FileDescriptor, _ first: ArraySlice<UInt8>
    ) throws(SystemError) {
        var decoder = NMEADecoder(configuration: configuration.decoder)
        var splitter = LineSplitter()
        var chunk = first
        var buffer = [UInt8](repeating: 0, count: Self.chunkSize)
        while !chunk.isEmpty, !isStopped {
            for line in splitter.add(chunk) { play(line, &decoder) }
            publish(decoder)
            let count = try file.read(into: &buffer)
            chunk = buffer[..<count]
        }
        if let line = splitter.finish() { play(line, &decoder) }
        let end = start.advanced(byMilliseconds: position)
        var fixes: [Fix] = []
        decoder.finish(at: end) { fixes.append($0) }
        send(Reception(.end, at: end, fixes: fixes))
        publish(decoder)
    }

    private mutating func play(_ line: [UInt8], _ decoder: inout NMEADecoder) {
        switch RecordedLine(line) {
        case .raw(let bytes, let milliseconds):
            advance(to: milliseconds, &decoder)
            let uptime = start.advanced(byMilliseconds: position)
            var fixes: [Fix] = []
            decoder.consume(bytes, at: uptime) { fixes.append($0) }
            send(Reception(.bytes(bytes), at: uptime, fixes: fixes))
        case .fix(var fix):
            advance(to: fix.uptime.milliseconds, &decoder)
            fix.uptime = start.advanced(byMilliseconds: position)
            send(fix)
        case .other, nil: break
        }
    }

    /// Lets recorded time pass; an epoch whose pause ends meanwhile is closed when it does.
    private mutating func advance(to milliseconds: Int64, _ decoder: inout NMEADecoder) {
        let target = max(position, milliseconds)
        let end = start.advanced(byMilliseconds: target)
        if let due = decoder.idleDeadline, due <= end {
            wait(until: max(position, due.milliseconds - start.milliseconds))
            var fixes: [Fix] = []
            decoder.idle(at: due) { fixes.append($0) }
            send(Reception(.pause, at: due, fixes: fixes))
        }
        wait(until: target)
        position = target
    }

    // MARK: Both

    private mutating func wait(until milliseconds: Int64) {
        guard let speed = configuration.speed, speed > 0, !isStopped else {
            isStopped = isStopped || stop.wait(milliseconds: 0)
            return
        }
        let elapsed = pace.uptime.milliseconds - paceStart.milliseconds
        let left = min(Double(milliseconds) / speed - Double(elapsed), 1e12)
        isStopped = stop.wait(milliseconds: Int(max(0, left)))
    }

    private mutating func send(_ fix: Fix) {
        guard !isStopped else { return }
        tellHealth(of: fix)
        deliver(.fix(fix))
    }

    private mutating func send(_ reception: Reception) {
        guard !isStopped else { return }
        for fix in reception.fixes { tellHealth(of: fix) }
        deliver(.received(reception))
    }

    private mutating func tellHealth(of fix: Fix) {
        let hasFix = fix.coordinate != nil
        tell(hasFix ? .fix : .noFix, hasFix ? "" : "the recording has no position here")
    }

    private func publish(_ decoder: NMEADecoder) {
        published.value.withLock { snapshot in
            snapshot.counters = decoder.counters.bytes > 0 ? decoder.counters : nil
            snapshot.timeCounts = decoder.timeCounts
        }
    }

    private mutating func tell(_ state: SourceHealth.State, _ reason: String) {
        if let news = reporter.report(SourceHealth(state, reason), at: timekeeper.uptime) {
            deliver(.health(news))
        }
    }
}
