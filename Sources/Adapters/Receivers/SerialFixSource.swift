import LinuxSystem
import NMEA
import Positioning
import Synchronization
import Timekeeping

/// A receiver on a serial port, read on a thread of its own. It is never written to.
///
/// The port is opened for reading alone, its speed is found by listening, and whatever happens to it
/// (unplugged, silent, taken by another program) it is opened again and again.
public final class SerialFixSource: FixSource {
    /// What to open, and what is known about it.
    public struct Configuration: Sendable {
        /// A device or a link to one; nil looks for a receiver.
        public var path: String?
        /// Tried first, in baud; nil finds it by listening.
        public var baud: Int?
        /// The speed that worked before, by the stable name of the port.
        public var lastGoodBaud: [String: Int]
        /// Whether `.raw` events are delivered, for recordings.
        public var deliversRawBytes: Bool
        public var decoder: NMEADecoder.Configuration
        /// Stands before the paths that are looked at to find a receiver, for tests.
        var root = ""

        public init(
            path: String? = nil, baud: Int? = nil, lastGoodBaud: [String: Int] = [:],
            deliversRawBytes: Bool = true,
            decoder: NMEADecoder.Configuration = NMEADecoder.Configuration()
        ) {
            self.path = path
            self.baud = baud
            self.lastGoodBaud = lastGoodBaud
            self.deliversRawBytes = deliversRawBytes
            self.decoder = decoder
        }
    }

    /// How the port does, for status and metrics.
    public struct Snapshot: Hashable, Sendable {
        /// The device that is open; nil while none is.
        public var devicePath: String?
        /// Its speed; nil where it has none.
        public var baud: Int?
        /// Times that a port was opened.
        public var openings = 0
        /// Times that a receiver hung up.
        public var hangUps = 0
        public var counters = NMEACounters()
        public var timeCounts = TimeResolverCounts()

        public init() {}
    }

    private let configuration: Configuration
    private let timekeeper: any Timekeeper
    private let rememberBaud: @Sendable (_ stablePath: String, _ baud: Int) -> Void
    private let published = SerialPublication()
    private let thread = SourceThread(name: "receiver")

    /// `rememberBaud` is called from the source's thread when a speed is proven, with the name under
    /// which `Configuration.lastGoodBaud` should have it next time.
    public init(
        _ configuration: Configuration, timekeeper: any Timekeeper,
        rememberBaud: @escaping @Sendable (_ stablePath: String, _ baud: Int) -> Void = { _, _ in }
    ) {
        self.configuration = configuration
        self.timekeeper = timekeeper
        self.rememberBaud = rememberBaud
    }

    /// How the port does now.
    public var snapshot: Snapshot { published.value.withLock { $0 } }

    /// Starts reading; a second call without `stop` between does nothing.
    public func start(deliver: @escaping @Sendable (SourceEvent) -> Void) {
        let (configuration, timekeeper) = (configuration, timekeeper)
        let (published, rememberBaud) = (published, rememberBaud)
        thread.start(deliver) { stop in
            var reader = SerialReader(
                SerialReader.Surroundings(
                    configuration: configuration, timekeeper: timekeeper, published: published,
                    stop: stop, rememberBaud: rememberBaud, deliver: deliver))
            reader.run()
        }
    }

    /// Stops reading and waits, at most a second, for the thread to end.
    public func stop() { thread.stop() }
}

/// Where the reading thread leaves what `SerialFixSource.snapshot` shows.
final class SerialPublication: Sendable {
    let value = Mutex(SerialFixSource.Snapshot())
}
