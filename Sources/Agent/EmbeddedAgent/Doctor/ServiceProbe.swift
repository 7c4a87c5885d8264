import GeofenceAgent
import LinuxSystem

/// Looks at the agent's unit in the folders of systemd.unit(5), without asking systemd: it may not
/// be running, as in a rescue system.
public struct ServiceProbe: Sendable {
    public static let defaultUnit = "geofenced.service"
    public var unit: String
    /// Stands before every path, for tests.
    var root = ""

    /// In the order in which they count.
    private static let folders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]
    private static let limit = 65_536

    public init(unit: String = ServiceProbe.defaultUnit) {
        self.unit = unit
    }

    /// Whether it is started with the machine.
    public var service: PermissionFacts.Service {
        guard file != nil else { return .notInstalled(unit: unit) }
        return isWanted ? .enabled(unit: unit) : .disabled(unit: unit)
    }

    /// What its WatchdogSec= is.
    var watchdog: DoctorFacts.Watchdog {
        guard let file else { return .unknown(reason: "\(unit) is not installed") }
        var value: String?
        for text in [file] + dropIns {
            for line in text.split(separator: "\n") where line.hasPrefix("WatchdogSec=") {
                value = String(line.dropFirst("WatchdogSec=".count))
            }
        }
        guard let value, !value.isEmpty, value != "0" else { return .missing(unit: unit) }
        return .set(unit: unit, value: "WatchdogSec=\(value)")
    }

    private var file: String? {
        for folder in Self.folders {
            if let text = text("\(folder)/\(unit)") { return text }
        }
        return nil
    }

    private var dropIns: [String] {
        Self.folders.reversed().flatMap { folder -> [String] in
            let place = "\(folder)/\(unit).d"
            let names = (try? FolderListing.names(in: root + place)) ?? []
            return names.filter { $0.hasSuffix(".conf") }.compactMap { text("\(place)/\($0)") }
        }
    }

    private var isWanted: Bool {
        Self.folders.contains { folder in
            let names = (try? FolderListing.names(in: root + folder)) ?? []
            return names.filter { $0.hasSuffix(".wants") || $0.hasSuffix(".requires") }
                .contains { wants in
                    let links = try? FolderListing.names(in: "\(root)\(folder)/\(wants)")
                    return links?.contains(unit) ?? false
                }
        }
    }

    private func text(_ path: String) -> String? {
        (try? FileContents.read(root + path, limit: Self.limit))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}
