import Positioning
import Timekeeping

/// From the bytes of a receiver, or of a log, to one `Fix` for each of its epochs.
///
/// Invariants:
/// - Without a call to `idle`, what is emitted depends on the bytes alone, never on how they are cut
///   into pieces.
/// - Every epoch gives exactly one `Fix`, with or without a position.
/// - It holds at most `maximumHeldBytes`, whatever arrives.
///
/// The caller owns the clock: live, it calls `idle` once `idleDeadline` has passed without bytes; at
/// the end of a file it calls `finish`.
public struct NMEADecoder: Sendable {
    /// What a decoder has to know about its source.
    public struct Configuration: Sendable {
        /// Whether sentences without `*hh` are taken; a wrong checksum is refused in any case.
        public var allowsMissingChecksum: Bool
        /// Whether the bytes are a log whose reading tells nothing about time: then there is no
        /// pause, and only a new time or the end closes an epoch.
        public var isFile: Bool
        /// The earliest date that can be true; nil decodes dates as they stand.
        public var dateFloor: CalendarDate?
        /// A time of this boot that was trusted before.
        public var lastTrusted: TrustedTime?

        public init(
            allowsMissingChecksum: Bool = false, isFile: Bool = false,
            dateFloor: CalendarDate? = nil, lastTrusted: TrustedTime? = nil
        ) {
            self.allowsMissingChecksum = allowsMissingChecksum
            self.isFile = isFile
            self.dateFloor = dateFloor
            self.lastTrusted = lastTrusted
        }
    }

    /// What may be kept between two calls, and what is copied at a time to complete it.
    public static let maximumHeldBytes = SentenceFramer.maximumHeldBytes + stitchBytes
    private static let stitchBytes = 512

    public private(set) var counters = NMEACounters()
    private let framer: SentenceFramer
    private var assembler: FixAssembler
    /// The start of a sentence or of a binary frame whose end has not come yet.
    private var held: [UInt8] = []

    public init(configuration: Configuration = Configuration()) {
        framer = SentenceFramer(allowsMissingChecksum: configuration.allowsMissingChecksum)
        assembler = FixAssembler(
            isFile: configuration.isFile,
            resolver: TimeResolver(
                floor: configuration.dateFloor, isRecording: configuration.isFile,
                lastTrusted: configuration.lastTrusted))
    }

    /// The last time that was trusted, to be persisted; nil where none was yet.
    public var lastTrusted: TrustedTime? { assembler.resolver.lastTrusted }

    /// What was made of the epochs' times since the decoder was made.
    public var timeCounts: TimeResolverCounts { assembler.resolver.counts }

    /// Time between the receiver's epochs by their own times, milliseconds; a second until known.
    public var periodMilliseconds: Int64 { assembler.period }

    /// When `idle` is due if no bytes arrive before; nil while nothing waits for it.
    public var idleDeadline: Uptime? {
        assembler.pauseDeadline(isFrameWaiting: held.first.map { $0 != Byte.dollar } ?? false)
    }

    /// Takes bytes that arrived at `uptime`, and emits the epochs that they complete.
    public mutating func consume(
        _ bytes: UnsafeRawBufferPointer, at uptime: Uptime, emit: (Fix) -> Void
    ) {
        counters.bytes += bytes.count
        let bytes = bytes.bindMemory(to: UInt8.self)
        var start = 0
        if !held.isEmpty { start = stitch(bytes, at: uptime, emit) }
        if held.isEmpty, start < bytes.count {
            let rest = UnsafeBufferPointer(rebasing: bytes[start...])
            let used = decode(rest, ending: .open, at: uptime, emit)
            held.append(contentsOf: rest[used...])
        }
        if !held.isEmpty { assembler.noteActivity(at: uptime) }
    }

    /// Takes bytes that arrived at `uptime`, and emits the epochs that they complete.
    public mutating func consume(
        _ bytes: ArraySlice<UInt8>, at uptime: Uptime, emit: (Fix) -> Void
    ) {
        bytes.withUnsafeBytes { consume($0, at: uptime, emit: emit) }
    }

    /// Takes bytes that arrived at `uptime`, and emits the epochs that they complete.
    public mutating func consume(_ bytes: [UInt8], at uptime: Uptime, emit: (Fix) -> Void) {
        bytes.withUnsafeBytes { consume($0, at: uptime, emit: emit) }
    }

    /// No bytes have come until `uptime`: closes the open epoch if its pause is over.
    public mutating func idle(at uptime: Uptime, emit: (Fix) -> Void) {
        guard let deadline = idleDeadline, uptime >= deadline else { return }
        decodeHeld(ending: .pause, at: uptime, emit)
        assembler.closeOpen(counters: &counters, emit: emit)
    }

    /// The stream is over: what is held ends here, and so does the open epoch.
    public mutating func finish(at uptime: Uptime = Uptime(milliseconds: 0), emit: (Fix) -> Void) {
        if !held.isEmpty {
            held.append(Byte.lineFeed)
            decodeHeld(ending: .pause, at: uptime, emit)
            held.removeAll()
        }
        assembler.closeOpen(counters: &counters, emit: emit)
    }

    /// Completes what is held with the first of the new bytes; returns how many of them are done.
    private mutating func stitch(
        _ bytes: UnsafeBufferPointer<UInt8>, at uptime: Uptime, _ emit: (Fix) -> Void
    ) -> Int {
        var start = 0
        while start < bytes.count, !held.isEmpty {
            let before = held.count
            let added = min(bytes.count - start, Self.stitchBytes)
            held.append(contentsOf: bytes[start..<start + added])
            let used = decodeHeld(ending: .open, at: uptime, emit)
            guard used >= before else {
                start += added
                continue
            }
            start += used - before
            held.removeAll(keepingCapacity: true)
        }
        return start
    }

    /// Decodes what is held and keeps what is still incomplete; returns how many bytes are done.
    @discardableResult
    private mutating func decodeHeld(
        ending: SentenceFramer.Ending, at uptime: Uptime, _ emit: (Fix) -> Void
    ) -> Int {
        var bytes: [UInt8] = []
        swap(&bytes, &held)
        let used = bytes.withUnsafeBufferPointer { decode($0, ending: ending, at: uptime, emit) }
        swap(&bytes, &held)
        held.removeFirst(used)
        return used
    }

    /// Decodes all complete sentences; returns how many bytes are done.
    private mutating func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, ending: SentenceFramer.Ending, at uptime: Uptime,
        _ emit: (Fix) -> Void
    ) -> Int {
        var position = 0
        while let body = framer.next(
            in: bytes, from: &position, ending: ending, counters: &counters)
        {
            if take(Sentence(body), at: uptime, emit) {
                counters.accepted += 1
            } else {
                counters.malformed += 1
            }
        }
        return position
    }

    /// Reads the fields of a sentence and hands them on; false where it is malformed.
    @inline(__always)
    private mutating func take(
        _ sentence: Sentence, at uptime: Uptime, _ emit: (Fix) -> Void
    ) -> Bool {
        var fields = sentence.fields
        var tag = sentence.tag
        switch sentence.kind {
        case .gsv:
            var part = SatellitesInView()
            guard part.read(&fields, tag) else { return false }
            tag.detail = part.detail
            assembler.ingest(tag, at: uptime, counters: &counters, emit: emit) { $0.add(part) }
        case .gsa:
            var active = ActiveSatellites()
            guard active.read(&fields) else { return false }
            tag.detail = UInt32(truncatingIfNeeded: active.system)
            assembler.ingest(tag, at: uptime, counters: &counters, emit: emit) { $0.add(active) }
        case .rmc, .gga, .gll, .gns:
            var report = PositionReport()
            guard report.read(sentence.kind, &fields) else { return false }
            assembler.ingest(report, tag, at: uptime, counters: &counters, emit: emit)
        case .vtg:
            var velocity = Velocity()
            guard velocity.read(&fields) else { return false }
            assembler.ingest(tag, at: uptime, counters: &counters, emit: emit) { $0.add(velocity) }
        case .pgrme:
            var error = EstimatedError()
            guard error.read(&fields) else { return false }
            assembler.ingest(tag, at: uptime, counters: &counters, emit: emit) { $0.add(error) }
        case .zda:
            var report = DateReport()
            guard report.read(&fields) else { return false }
            assembler.ingest(report, tag, at: uptime, counters: &counters, emit: emit)
        case .gst: return take(.standardDeviations, &fields, tag, at: uptime, emit)
        case .gbs: return take(.integrity, &fields, tag, at: uptime, emit)
        case .pubx where fields.takeMessageZero():
            return take(.receiver, &fields, tag, at: uptime, emit)
        case .pubx, .other: counters.unknownType += 1
        }
        return true
    }

    private mutating func take(
        _ source: AccuracyReport.Source, _ fields: inout FieldCursor, _ tag: SentenceTag,
        at uptime: Uptime, _ emit: (Fix) -> Void
    ) -> Bool {
        var report = AccuracyReport(from: source)
        guard report.read(&fields) else { return false }
        assembler.ingest(report, tag, at: uptime, counters: &counters, emit: emit)
        return true
    }
}
