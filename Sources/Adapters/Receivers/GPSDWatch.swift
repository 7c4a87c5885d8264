import Positioning
import Timekeeping
import WireFormat

/// Judges a connection to gpsd by what comes from it: what to do, and how it is. Pure.
///
/// gpsd says nothing when its receiver dies, and a connection over a network can die without a word
/// either: silence is asked about, and no answer means a dead connection.
struct GPSDWatch {
    /// The steps of the ladder, milliseconds.
    struct Timing: Hashable, Sendable {
        /// Without TPV after which gpsd is asked for its receivers.
        var ask: Int64 = 10_000
        /// The answer must come within.
        var answer: Int64 = 3000
        /// Without TPV after which it is told.
        var silence: Int64 = 20_000
    }

    enum Action: Hashable {
        /// Send `?DEVICES;`.
        case ask
        /// The connection is dead: make another.
        case reconnect
    }

    /// What there is to tell, without the words.
    enum Condition: Hashable {
        /// Connected, and nothing to complain of yet.
        case waiting
        case silent(seconds: Int, devices: [GPSDDevice]?)
        /// gpsd said that it closed its last receiver.
        case closed(path: String)
        case noFix(hasTime: Bool, bestSignal: Int?, satellitesInView: Int?)
        case fix

        var state: SourceHealth.State {
            switch self {
            case .waiting: .opening
            case .silent, .closed: .noData
            case .noFix: .noFix
            case .fix: .fix
            }
        }
    }

    private let timing: Timing
    /// Since when there was no TPV, over all connections.
    private(set) var silentSince: Uptime
    /// Since when there was no TPV on this connection, or no question about it.
    private var quietSince: Uptime
    private var askedAt: Uptime?
    /// Nil until gpsd has told.
    private var devices: [GPSDDevice]?
    private var closedPath: String?
    private var lastFix: Fix?
    /// Whether a report came over this connection.
    private(set) var hasHeardReceiver = false
    /// Whether this connection has shown that a gpsd is behind it.
    private(set) var hasHeardGPSD = false

    /// - Parameter silentSince: of the connection before; nil for the first.
    init(openedAt uptime: Uptime, silentSince: Uptime?, timing: Timing) {
        self.timing = timing
        self.silentSince = silentSince ?? uptime
        quietSince = uptime
    }

    mutating func note(_ report: GPSDReport, at uptime: Uptime) {
        switch report {
        case .other, .malformed: break
        default: hasHeardGPSD = true
        }
        switch report {
        case .position:
            silentSince = uptime
            quietSince = uptime
            askedAt = nil
            closedPath = nil
            hasHeardReceiver = true
        case .devices(let list):
            devices = list
            askedAt = nil
        case .device(let device): take(device)
        case .sky, .errors, .version, .failure, .other, .malformed: break
        }
    }

    private mutating func take(_ device: GPSDDevice) {
        var list = devices ?? []
        list.removeAll { $0.path == device.path }
        list.append(device)
        devices = list
        let isLast = list.allSatisfy { $0.activation == .closed }
        closedPath = isLast ? device.path : nil
    }

    /// An epoch was decoded.
    mutating func note(_ fix: Fix) {
        lastFix = fix
    }

    /// What to do now, if anything.
    mutating func decide(at uptime: Uptime) -> Action? {
        if let askedAt {
            return uptime >= askedAt.advanced(byMilliseconds: timing.answer) ? .reconnect : nil
        }
        guard uptime >= quietSince.advanced(byMilliseconds: timing.ask) else { return nil }
        askedAt = uptime
        quietSince = uptime
        return .ask
    }

    /// When to look again at the latest, if nothing comes.
    func deadline(after uptime: Uptime) -> Uptime {
        let next =
            askedAt.map { $0.advanced(byMilliseconds: timing.answer) }
            ?? quietSince.advanced(byMilliseconds: timing.ask)
        let telling = silentSince.advanced(byMilliseconds: timing.silence)
        // While it is silent, once a second, since the seconds are told.
        let retelling = uptime.advanced(byMilliseconds: 1000)
        return min(next, telling > uptime ? telling : retelling)
    }

    /// How the connection is.
    func condition(at uptime: Uptime) -> Condition {
        if let closedPath { return .closed(path: closedPath) }
        let silence = uptime.milliseconds - silentSince.milliseconds
        if silence >= timing.silence {
            return .silent(seconds: Int(silence / 1000), devices: devices)
        }
        guard let lastFix else { return .waiting }
        guard lastFix.coordinate == nil else { return .fix }
        return .noFix(
            hasTime: lastFix.time != nil, bestSignal: lastFix.bestSignal,
            satellitesInView: lastFix.satellitesInView)
    }
}
