import NMEA
import Positioning
import Synchronization
import Timekeeping

/// A log in place of a receiver: an NMEA log, or a recording (`.rec.ndjson`), in recorded time.
///
/// Fixes come with the pauses that lay between them, their uptime counted from the start of the
/// source. Of a recording `raw` and `fix` records are used.
public final class RecordedFileSource: FixSource {
    /// What to read, and how fast.
    public struct Configuration: Sendable {
        public var path: String
        /// Recorded seconds that pass in a second, positive; nil for as fast as possible.
        public var speed: Double?
        public var decoder: NMEADecoder.Configuration

        public init(
            path: String, speed: Double? = 1,
            decoder: NMEADecoder.Configuration = NMEADecoder.Configuration()
        ) {
            self.path = path
            self.speed = speed
            self.decoder = decoder
        }
    }

    /// What the decoder did, for status.
    public struct Snapshot: Hashable, Sendable {
        /// Nil: the file holds no sentences.
        public var counters: NMEACounters?
        public var timeCounts = TimeResolverCounts()

        public init() {}
    }

    private let configuration: Configuration
    private let published = RecordingPublication()
    private let timekeeper: any Timekeeper
    private let thread = SourceThread(name: "recording")

    public init(_ configuration: Configuration, timekeeper: any Timekeeper) {
        self.configuration = configuration
        self.timekeeper = timekeeper
    }

    /// What the decoder has done so far.
    public var snapshot: Snapshot { published.value.withLock { $0 } }

    public func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        let (configuration, timekeeper) = (configuration, timekeeper)
        let published = published
        thread.start(deliver) { stop in
            var player = RecordingPlayer(configuration, timekeeper, published, stop, deliver)
            player.run()
        }
    }

    public func stop() { thread.stop() }
}

/// Where the reading thread leaves what `RecordedFileSource.snapshot` shows.
final class RecordingPublication: Sendable {
    let value = Mutex(RecordedFileSource.Snapshot())
}
