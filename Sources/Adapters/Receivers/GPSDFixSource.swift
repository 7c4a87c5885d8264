import LinuxSystem
import Positioning
import Synchronization
import Timekeeping
import WireFormat

/// A receiver that gpsd owns, read through libgps on a thread of its own.
///
/// Whatever happens to the connection, it is made again and again; WATCH is never filtered by device,
/// and gpsd's shared memory is never used.
public final class GPSDFixSource: FixSource {
    /// Where gpsd is, and what is known about the time.
    public struct Configuration: Sendable {
        public var address: GPSDAddress
        /// Whether `.report` events are delivered, for recordings: whole lines of gpsd's JSON, before
        /// the fixes that they lead to.
        public var deliversReports: Bool
        public var decoder: GPSDDecoder.Configuration
        /// The ladder of silence, shorter for tests.
        var timing = GPSDWatch.Timing()
        /// Before the next try, milliseconds; nil is what `RetryDelay` says. For tests.
        var retryMilliseconds: Int?

        public init(
            address: GPSDAddress, deliversReports: Bool = true,
            decoder: GPSDDecoder.Configuration = GPSDDecoder.Configuration()
        ) {
            self.address = address
            self.deliversReports = deliversReports
            self.decoder = decoder
        }
    }

    /// How the connection does, for status and metrics.
    public struct Snapshot: Hashable, Sendable {
        public var isConnected = false
        /// The receiver that is followed, as gpsd names it.
        public var devicePath: String?
        /// What gpsd calls its version; nil until it has told.
        public var release: String?
        /// Times that a connection was made.
        public var openings = 0
        /// Times that a connection was lost.
        public var hangUps = 0
        /// Times that gpsd was asked for its receivers, because nothing came.
        public var questions = 0
        /// Times that the thread read from libgps.
        var reads = 0
        public var counters = GPSDCounters()
        public var timeCounts = TimeResolverCounts()

        public init() {}
    }

    private let configuration: Configuration
    private let timekeeper: any Timekeeper
    private let published = GPSDPublication()
    private let thread = SourceThread(name: "gpsd")

    public init(_ configuration: Configuration, timekeeper: any Timekeeper) {
        self.configuration = configuration
        self.timekeeper = timekeeper
    }

    /// How the connection does now.
    public var snapshot: Snapshot { published.value.withLock { $0 } }

    /// Where gpsd is expected.
    public var address: GPSDAddress { configuration.address }

    /// Starts reading; a second call without `stop` between does nothing.
    public func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        let (configuration, timekeeper, published) = (configuration, timekeeper, published)
        thread.start(deliver) { stop in
            var reader = GPSDReader(
                GPSDReader.Surroundings(
                    configuration: configuration, timekeeper: timekeeper, published: published,
                    stop: stop, deliver: deliver))
            reader.run()
        }
    }

    /// Stops reading and waits, at most a second, for the thread to end; never for a connection that
    /// is being made.
    public func stop() { thread.stop() }
}

/// Where the reading thread leaves what `GPSDFixSource.snapshot` shows.
final class GPSDPublication: Sendable {
    let value = Mutex(GPSDFixSource.Snapshot())
}
