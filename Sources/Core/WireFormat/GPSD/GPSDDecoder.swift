import Positioning
import Timekeeping

/// From gpsd's JSON to one `Fix` for each epoch: live and in logs of `gpspipe -w`.
///
/// Invariants:
/// - It takes any bytes and never traps; a line is believed as a whole or not at all.
/// - Every epoch gives exactly one `Fix`, with or without a position.
/// - Without a call to `idle`, what is emitted depends on the bytes alone, never on how they are cut
///   into pieces.
///
/// The caller owns the clock: live, it calls `idle` once `idleDeadline` has passed; at the end of a
/// connection or of a file it calls `finish`.
public struct GPSDDecoder: Sendable {
    /// What a decoder has to know about its source.
    public struct Configuration: Sendable {
        /// Whether the bytes are a log whose reading tells nothing about time.
        public var isFile: Bool
        /// The earliest date that can be true; nil takes dates as they stand.
        public var dateFloor: CalendarDate?
        /// A time of this boot that was trusted before.
        public var lastTrusted: TrustedTime?

        public init(
            isFile: Bool = false, dateFloor: CalendarDate? = nil, lastTrusted: TrustedTime? = nil
        ) {
            self.isFile = isFile
            self.dateFloor = dateFloor
            self.lastTrusted = lastTrusted
        }
    }

    /// A longer line is dropped. libgps gives up at 20,480.
    public static let maximumLineBytes = 65_536

    public private(set) var counters = GPSDCounters()
    private var splitter = LineSplitter(limit: maximumLineBytes)
    private var assembler: GPSDAssembler

    public init(configuration: Configuration = Configuration()) {
        assembler = GPSDAssembler(
            isFile: configuration.isFile,
            resolver: TimeResolver(
                floor: configuration.dateFloor, isRecording: configuration.isFile,
                lastTrusted: configuration.lastTrusted))
    }

    /// The receiver that is followed, as gpsd names it; nil where there is none.
    public var device: String? { assembler.device }

    /// The last time that was trusted; nil where none was yet.
    public var lastTrusted: TrustedTime? { assembler.resolver.lastTrusted }

    /// What was made of the epochs' times since the decoder was made.
    public var timeCounts: TimeResolverCounts { assembler.resolver.counts }

    /// When `idle` is due if nothing arrives before; nil while nothing waits for it.
    public var idleDeadline: Uptime? { assembler.pauseDeadline }

    /// Takes bytes that arrived at `uptime`, and emits the epochs that they complete.
    public mutating func consume(
        _ bytes: ArraySlice<UInt8>, at uptime: Uptime = Uptime(milliseconds: 0),
        emit: (Fix) -> Void
    ) {
        let dropped = splitter.droppedLines
        for line in splitter.add(bytes) { take(line: line[...], at: uptime, emit: emit) }
        counters.tooLong += splitter.droppedLines - dropped
    }

    /// Takes one line, with or without its line feed, and says what it was.
    @discardableResult
    public mutating func take(
        line: ArraySlice<UInt8>, at uptime: Uptime, emit: (Fix) -> Void
    ) -> GPSDReport {
        counters.bytes += line.count + (line.last == 0x0A ? 0 : 1)
        let report = GPSDReport(line: line)
        counters.count(report)
        switch report {
        case .position(let position):
            assembler.take(position, at: uptime, counters: &counters, emit: emit)
        case .sky(let sky): assembler.take(sky, at: uptime)
        case .errors(let errors): assembler.take(errors, at: uptime, counters: &counters)
        case .device, .devices, .version, .failure, .other, .malformed: break
        }
        return report
    }

    /// Nothing has come until `uptime`: closes the open epoch if its pause is over.
    public mutating func idle(at uptime: Uptime, emit: (Fix) -> Void) {
        guard let deadline = idleDeadline, uptime >= deadline else { return }
        assembler.close(&counters, emit)
    }

    /// The stream is over: what is held ends here, and so does the open epoch.
    public mutating func finish(
        at uptime: Uptime = Uptime(milliseconds: 0), emit: (Fix) -> Void
    ) {
        if let line = splitter.finish() { take(line: line[...], at: uptime, emit: emit) }
        assembler.close(&counters, emit)
    }
}
