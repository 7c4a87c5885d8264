import Foundation
import LinuxSystem
import Positioning
import Synchronization
import TestSupport
import Timekeeping

@testable import Receivers

/// What a source has delivered so far.
final class Delivery: Sendable {
    private let events = Mutex<[SourceEvent]>([])

    var deliver: @Sendable (SourceEvent) -> Void {
        { event in self.events.withLock { $0.append(event) } }
    }

    var all: [SourceEvent] { events.withLock { $0 } }

    var fixes: [Fix] {
        all.flatMap { event -> [Fix] in
            switch event {
            case .fix(let fix): [fix]
            case .received(let reception): reception.fixes
            default: []
            }
        }
    }

    var health: [SourceHealth] {
        all.compactMap { if case .health(let health) = $0 { health } else { nil } }
    }

    var raw: [UInt8] {
        all.flatMap { event -> [UInt8] in
            if case .received(let reception) = event, case .bytes(let bytes) = reception.input {
                bytes
            } else {
                [UInt8]()
            }
        }
    }

    /// Lines that are not NMEA.
    var reports: [UInt8] {
        all.flatMap { if case .report(let bytes, _) = $0 { bytes } else { [UInt8]() } }
    }

    var openings: Int { all.filter { $0 == .opened }.count }

    func has(_ state: SourceHealth.State) -> Bool { health.contains { $0.state == state } }

    /// Waits for something, at most `seconds`.
    func eventually(seconds: Double = 30, _ condition: (Delivery) -> Bool) -> Bool {
        for _ in 0..<Int(seconds * 100) {
            if condition(self) { return true }
            usleep(10_000)
        }
        return condition(self)
    }
}

/// Sentences of one second each, with right checksums.
enum SampleSentences {
    /// RMC and GGA of a moving receiver at `second` of the day.
    static func epoch(_ second: Int) -> String {
        let time = clock(second)
        let minutes = 30 + Double(second % 60) * 0.001
        let position = "52\(text(minutes)),N,01324.0000,E"
        return sentence("GPRMC,\(time),A,\(position),010.0,000.0,310126,,,A")
            + sentence("GPGGA,\(time),\(position),1,08,0.9,35.0,M,45.0,M,,")
    }

    /// RMC and GGA without a fix.
    static func voidEpoch(_ second: Int) -> String {
        let time = clock(second)
        return sentence("GPRMC,\(time),V,,,,,,,310126,,,N")
            + sentence("GPGGA,\(time),,,,,0,00,,,M,,M,,")
    }

    static func sentence(_ body: String) -> String {
        let sum = body.utf8.reduce(0, ^)
        let digits = String(sum, radix: 16, uppercase: true)
        return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n"
    }

    private static func clock(_ second: Int) -> String {
        let parts = [second / 3600 % 24, second / 60 % 60, second % 60]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined() + ".00"
    }

    private static func text(_ minutes: Double) -> String {
        let scaled = Int(minutes * 10_000)
        let fraction = String(scaled % 10_000)
        return "\(scaled / 10_000).\(String(repeating: "0", count: 4 - fraction.count))\(fraction)"
    }
}

/// A receiver behind a pty: it sends its sentences, and noise to whoever listens at another speed.
final class SimulatedReceiver: Sendable {
    private let stop: WakeEvent
    private let thread: DedicatedThread

    /// Sends one epoch each `interval` milliseconds.
    init(
        on terminal: PseudoTerminal, baud: Int? = nil, interval: Int = 20, seed: UInt64 = 1,
        epoch: @escaping @Sendable (Int) -> String = SampleSentences.epoch
    ) throws {
        let stop = try WakeEvent()
        self.stop = stop
        thread = try DedicatedThread(name: "simulated") {
            var noise = seed
            var second = 3600
            while !stop.wait(milliseconds: interval) {
                let text = epoch(second)
                second += 1
                if let baud, terminal.baud != baud {
                    terminal.send(
                        text.utf8.map { _ in
                            noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                            return UInt8(truncatingIfNeeded: noise >> 33)
                        })
                } else {
                    terminal.send(text)
                }
            }
        }
    }

    func end() {
        stop.signal()
        thread.join(milliseconds: 5000)
    }

    deinit { stop.signal() }
}

/// A clock that runs faster than the machine's, so that fifteen seconds of silence take one.
struct HurriedTimekeeper: Timekeeper {
    let factor: Int64
    private let system = SystemTimekeeper()
    private let start = SystemTimekeeper().uptime.milliseconds

    init(factor: Int64) {
        self.factor = factor
    }

    var uptime: Uptime {
        Uptime(milliseconds: (system.uptime.milliseconds - start) * factor + 1_000_000)
    }
    var wallClock: WallClockReading { system.wallClock }
    var bootID: BootID { system.bootID }
}
