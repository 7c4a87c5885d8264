import LinuxSystem
import Positioning

/// The words for how a serial port is: what was seen, and what a person can do about it.
struct SerialReasons {
    /// The kernel's command line, in which `console=` may claim a port.
    var kernelCommandLine = FileContents.line("/proc/cmdline") ?? ""
    /// Who else has a device open.
    var holders: @Sendable (String) -> [DescriptorHolder] = { path in
        DescriptorHolder.processes(holding: path)
    }
    /// Programs of these names that run; who may not see their descriptors still sees these.
    var running: @Sendable (Set<String>) -> [DescriptorHolder] = { names in
        DescriptorHolder.processes(named: names)
    }

    /// Programs that open serial ports without being asked.
    private static let usualHolders: Set<String> = ["gpsd", "ModemManager"]

    /// No port was found.
    func nothingFound() -> SourceHealth {
        SourceHealth(
            .noDevice,
            "no receiver found at /dev/gnss-receiver, /dev/serial/by-id, /dev/serial0 or "
                + "/dev/ttyAMA0: plug it in, or set receiver.path")
    }

    /// The port could not be opened.
    func health(of error: SerialLineError) -> SourceHealth {
        switch error {
        case .noDevice(let path):
            return SourceHealth(.noDevice, "\(path) does not exist: is the receiver plugged in?")
        case .permissionDenied(let path):
            return SourceHealth(
                .permissionDenied,
                "no permission for \(path): add the user to the group dialout")
        case .busy(let path, let holders):
            return SourceHealth(.portBusy, busy(path, holders))
        case .notADevice(let path):
            return SourceHealth(
                .noDevice, "\(path) is no device: for a log set receiver.source to file")
        case .failed(let error):
            return SourceHealth(.noDevice, "\(error)")
        }
    }

    private func busy(_ path: String, _ holders: [DescriptorHolder]) -> String {
        var who = Self.list(holders)
        var suspects = holders
        if holders.isEmpty {
            suspects = running(Self.usualHolders)
            who = "another program"
            if !suspects.isEmpty { who += ", probably \(Self.list(suspects))" }
        }
        return "\(path) is in use by \(who): \(Self.advice(on: suspects))"
    }

    private static func list(_ holders: [DescriptorHolder]) -> String {
        holders.map(\.description).joined(separator: ", ")
    }

    /// What to do about who takes the port.
    private static func advice(on holders: [DescriptorHolder]) -> String {
        if !holders.isEmpty, holders.allSatisfy({ $0.name == "ModemManager" }) {
            return "keep it off by ENV{ID_MM_DEVICE_IGNORE}=\"1\" in a udev rule, as ours has"
        }
        return "stop it, or let gpsd own the receiver and set receiver.source to gpsd"
    }

    /// The receiver hung up.
    func hungUp(_ path: String) -> SourceHealth {
        SourceHealth(.noDevice, "\(path) hung up: was the receiver unplugged?")
    }

    /// The open port is in this condition; `speed` is nil where there is none.
    func health(
        of condition: SerialWatch.Condition, device: String, speed: Int?
    ) -> SourceHealth {
        switch condition {
        case .opening:
            SourceHealth(.opening, "waiting for the first sentences from \(device)")
        case .silent(let seconds):
            SourceHealth(.noData, "no bytes from \(device) for \(seconds) s: \(hint(device))")
        case .noise(let allSpeedsTried):
            SourceHealth(.wrongBaud, noise(device, speed, allSpeedsTried))
        case .binaryOnly:
            SourceHealth(
                .noFix,
                "\(device) sends a binary protocol only: let the receiver send NMEA, or use gpsd")
        case .noPositionSentences:
            SourceHealth(
                .noFix, "\(device) sends no RMC, GGA, GNS or GLL: switch them on in the receiver")
        case .noFix(let hasTime, let signal, let satellites):
            SourceHealth(.noFix, SearchingReason.text(hasTime: hasTime, signal, satellites))
        case .fix:
            SourceHealth(.fix, "")
        }
    }

    private func noise(_ device: String, _ speed: Int?, _ allSpeedsTried: Bool) -> String {
        let at = speed.map { " at \($0) baud" } ?? ""
        return allSpeedsTried
            ? "bytes from \(device), but no NMEA at any speed: \(hint(device))"
            : "bytes from \(device)\(at), but no sentence: trying other speeds"
    }

    /// What most probably keeps the bytes away.
    private func hint(_ device: String) -> String {
        let name = device.split(separator: "/").last.map(String.init) ?? device
        if let console = console(at: name) {
            return "the kernel's console uses it, remove console=\(console) from cmdline.txt"
        }
        let others = holders(device)
        if !others.isEmpty {
            return "\(Self.list(others)) reads from it too: \(Self.advice(on: others))"
        }
        let suspects = running(Self.usualHolders)
        if !suspects.isEmpty {
            return "check wiring, and whether \(Self.list(suspects)) reads from it too"
        }
        return "check wiring and `console=` in cmdline.txt"
    }

    /// What the kernel's command line calls the port where it has its console; nil: elsewhere.
    private func console(at name: String) -> Substring? {
        let targets = kernelCommandLine.split(separator: " ")
            .filter { $0.hasPrefix("console=") }
            .map { $0.dropFirst("console=".count).prefix { $0 != "," } }
        return targets.first { target in
            // A Pi's firmware calls whichever port is on the header serial0.
            target == name
                || target.hasPrefix("serial")
                    && (name.hasPrefix("ttyAMA") || name.hasPrefix("ttyS"))
        }
    }
}
