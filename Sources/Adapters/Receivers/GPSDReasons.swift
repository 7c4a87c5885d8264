import LinuxSystem
import Positioning
import WireFormat

/// The words for how gpsd is: what was seen, and what a person can do about it.
struct GPSDReasons {
    let address: GPSDAddress

    func connecting(seconds: Int) -> SourceHealth {
        guard seconds > 0 else {
            return SourceHealth(.opening, "connecting to gpsd at \(address)")
        }
        return SourceHealth(
            .noDevice,
            "no answer from \(address) for \(seconds) s: check receiver.host and the network")
    }

    func health(of error: GPSDConnection.OpenError) -> SourceHealth {
        switch error.cause {
        case .unknownHost:
            SourceHealth(
                .noDevice, "the host \(address.host) is not known: check receiver.host")
        case .refused:
            SourceHealth(
                .noDevice,
                "no gpsd at \(address): start it (systemctl start gpsd.socket), or check "
                    + "receiver.host and receiver.port")
        case .other: SourceHealth(.noDevice, "no gpsd at \(address): \(error)")
        }
    }

    /// - Parameter repeats: ends of this kind in a row.
    func ended(_ end: GPSDConnection.End, repeats: Int) -> SourceHealth {
        switch end {
        case .closed:
            return SourceHealth(
                .noDevice,
                "gpsd at \(address) closed the connection: was it stopped? See systemctl status "
                    + "gpsd")
        case .overlongLine:
            let again = repeats > 1 ? ", \(repeats) times in a row" : ""
            return SourceHealth(
                .noDevice,
                "gpsd at \(address) sent a line longer than libgps takes\(again): is that a gpsd? "
                    + "Else update it together with libgps")
        case .broken(let code):
            let reason = SystemError("recv", code: code).reason
            return SourceHealth(.noDevice, "the connection to gpsd at \(address) broke: \(reason)")
        }
    }

    func unanswered() -> SourceHealth {
        SourceHealth(.noDevice, "gpsd at \(address) does not answer: connecting again")
    }

    /// The connection is in this condition; `release` is nil until gpsd has told it.
    func health(of condition: GPSDWatch.Condition, release: String?) -> SourceHealth {
        switch condition {
        case .waiting:
            let version = release.map { " \($0)" } ?? ""
            return SourceHealth(
                .opening,
                "waiting for the first position report from gpsd\(version) at \(address)")
        case .silent(let seconds, let devices):
            return SourceHealth(
                .noData,
                "no position report from gpsd at \(address) for \(seconds) s: \(hint(devices))")
        case .closed(let path):
            return SourceHealth(
                .noData,
                "gpsd at \(address) has closed \(path), was it unplugged? \(revival(path))")
        case .noFix(let hasTime, let signal, let satellites):
            return SourceHealth(
                .noFix, SearchingReason.text(hasTime: hasTime, signal, satellites))
        case .fix: return SourceHealth(.fix, "")
        }
    }

    private func hint(_ devices: [GPSDDevice]?) -> String {
        guard let devices else { return "it does not say which receivers it has, restart it" }
        guard let first = devices.first else {
            return "it has no receiver, give it one: gpsdctl add /dev/ttyUSB0, or DEVICES in "
                + "/etc/default/gpsd and a restart"
        }
        if let lost = devices.first(where: { $0.activation != .active }) {
            return "it has not opened \(lost.path). \(revival(lost.path))"
        }
        return "nothing comes from \(first.path). \(revival(first.path))"
    }

    /// gpsd never opens a lost receiver again by itself.
    private func revival(_ path: String) -> String {
        "Plug it in, then gpsdctl add \(path), or restart gpsd"
    }
}
