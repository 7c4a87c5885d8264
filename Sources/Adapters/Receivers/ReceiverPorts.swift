import LinuxSystem
import WireFormat

/// Which port to open next: the configured one, or with `auto` each that may be a receiver in turn.
///
/// A port that was found once is found again by its stable name, for after a replug /dev/ttyUSB0 may
/// be /dev/ttyUSB1.
struct ReceiverPorts {
    /// Parts of names in /dev/serial/by-id that receivers, and the converters before them, have.
    static let knownNames = [
        "u-blox", "gnss", "gps", "cp210", "ftdi", "pl2303", "prolific", "mediatek",
    ]

    private let configured: String?
    private let root: String
    /// The stable name of what the configured path led to.
    private var stable: String?
    private var turn = 0

    /// `configured` is nil for `auto`; `root` stands before every path of `auto`, for tests.
    init(configured: String?, root: String = "") {
        self.configured = configured
        self.root = root
    }

    /// The path to try now; nil when there is none.
    var current: String? {
        if let configured {
            if let stable, RealPath.of(stable) != nil { return stable }
            return configured
        }
        let found = automatic
        return found.isEmpty ? nil : found[turn % found.count]
    }

    /// Whether there is another port to try when nothing is heard at this one.
    var hasAlternatives: Bool { configured == nil && automatic.count > 1 }

    /// A port was opened: remember by which name it will come back.
    mutating func noteOpened(_ path: String) {
        stable = StableDevicePath.of(path, root: root) ?? stable
    }

    /// The name under which its speed is remembered.
    func stableName(of path: String) -> String { StableDevicePath.of(path, root: root) ?? path }

    /// No receiver was heard at the current port: the next one is tried.
    mutating func skip() {
        turn += 1
    }

    /// What `auto` looks at, in order, without names of the same device.
    private var automatic: [String] {
        let byID = "\(root)/dev/serial/by-id"
        let names = (try? FolderListing.names(in: byID)) ?? []
        let known = names.filter { name in
            let bytes = Array(name.lowercased().utf8)
            return Self.knownNames.contains { bytes.holds($0) }
        }
        let candidates =
            ["\(root)/dev/gnss-receiver", "\(root)/dev/gnss0"] + known.map { "\(byID)/\($0)" }
            + ["\(root)/dev/serial0", "\(root)/dev/ttyAMA0"]
        var devices: Set<String> = []
        return candidates.filter { candidate in
            RealPath.of(candidate).map { devices.insert($0).inserted } ?? false
        }
    }
}
