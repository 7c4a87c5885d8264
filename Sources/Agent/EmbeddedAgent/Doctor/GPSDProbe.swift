import GeofenceAgent
import LinuxSystem
import WireFormat

/// Whether gpsd has the port that the agent wants, or is told to take it.
enum GPSDProbe {
    /// Where Debian's gpsd is told its devices.
    private static let defaults = "/etc/default/gpsd"
    /// Arguments of a process, bytes.
    private static let argumentLimit = 65_536

    static func facts(device: String?, holders: DoctorFacts.Holders) -> DoctorFacts.GPSD {
        guard let device else { return .notConcerned(reason: "there is no port") }
        if case .held(let who) = holders, Array(who.utf8).holds("gpsd") {
            return .fights(place: "it has the port open: \(who)")
        }
        let processes = running()
        for process in processes where names(process.arguments, device) {
            return .fights(place: "gpsd (pid \(process.id)) is told to read \(device)")
        }
        if let bytes = try? FileContents.read(defaults, limit: argumentLimit),
            let place = configured(String(decoding: bytes, as: UTF8.self), device)
        {
            return .fights(place: place)
        }
        return .apart(note: processes.isEmpty ? "not running" : "running without this port")
    }

    private static func running() -> [(id: Int32, arguments: [String])] {
        let numbers = (try? FolderListing.names(in: "/proc").compactMap { Int32($0) }) ?? []
        return numbers.compactMap { number in
            guard FileContents.line("/proc/\(number)/comm") == "gpsd" else { return nil }
            let bytes =
                (try? FileContents.read("/proc/\(number)/cmdline", limit: argumentLimit)) ?? []
            let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            return (number, Array(words.dropFirst()))
        }
    }

    private static func names(_ arguments: [String], _ device: String) -> Bool {
        arguments.contains { $0.hasPrefix("/") && RealPath.of($0) == device }
    }

    /// The line `DEVICES="/dev/ttyAMA0"` where it names the device; nil: it does not.
    private static func configured(_ text: String, _ device: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("DEVICES=") {
            let words = line.dropFirst("DEVICES=".count).split { " \"'".contains($0) }
            if names(words.map(String.init), device) { return "\(defaults): \(line)" }
        }
        return nil
    }
}
