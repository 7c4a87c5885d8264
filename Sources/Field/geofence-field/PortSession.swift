import CommandLineTool
import Glibc
import Simulation
import Timekeeping

/// A simulation in real time behind a serial port.
struct PortSession {
    /// How long after its epoch a receiver has computed it, seconds.
    private static let outputDelaySeconds = 0.05
    private static let tickMilliseconds = 10

    private let plan: SimulationPlan
    private let console: Console
    private let port: SimulatedPort

    init(_ plan: SimulationPlan, link: String, console: Console) throws {
        self.plan = plan
        self.console = console
        port = try SimulatedPort(
            link: DeviceLink(link), speed: plan.speed, seed: plan.seed,
            note: { console.note($0) })
        console.note("\(link) is \(port.path) at \(plan.speed.baud) baud")
    }

    func run() throws {
        defer { port.close() }
        guard try waitForReader() else { return }
        let (departure, start) = depart()
        try plan.writeTruth(start: start)
        let seconds = Int(plan.drive.durationSeconds)
        let meters = Int(plan.drive.lengthMeters)
        console.note("drive of \(seconds) s, \(meters) m, departs at \(start.rfc3339)")
        try drive(departure: departure, start: start)
        console.note("the drive has ended; \(port.unheardCount) bytes were not taken")
    }

    /// False when a signal asks to end.
    private func waitForReader() throws -> Bool {
        while plan.waitsForReader, try !port.observe() {
            if endIsAskedFor { return false }
            ElapsedClock.sleep(milliseconds: Self.tickMilliseconds)
        }
        return true
    }

    /// Epochs fall on whole seconds of the wall clock, as those of receivers do on UTC's, unless
    /// the start is given: then the drive departs at once.
    private func depart() -> (departure: Double, start: UTCTime) {
        let now = ElapsedClock.seconds
        if let start = plan.start { return (now, start) }
        let wall = ElapsedClock.utc
        let wait = 1000 - wall.millisecondsSince1970 % 1000
        return (now + Double(wait) / 1000, wall.advanced(byMilliseconds: wait))
    }

    private func drive(departure: Double, start: UTCTime) throws {
        let pace = plan.pace ?? 1
        var receiver = plan.receiver(start: start)
        var next = receiver.next()
        var pacer = SerialPacer(baud: Int(Double(plan.speed.baud) * pace))
        var unplugAt = plan.unplugAtSeconds.map { departure + $0 / pace }
        var replugAt: Double?
        while next != nil || !pacer.isEmpty {
            if endIsAskedFor { return }
            let now = ElapsedClock.seconds
            if CaughtSignals.take(SIGUSR1) { try port.unplug() }
            if CaughtSignals.take(SIGUSR2) { try port.replug() }
            if let time = unplugAt, now >= time {
                try port.unplug()
                unplugAt = nil
                replugAt = time + plan.replugAfterSeconds / pace
            }
            if let time = replugAt, now >= time {
                try port.replug()
                replugAt = nil
            }
            while let epoch = next, departure + epoch.seconds / pace <= now {
                pacer.enqueue(
                    epoch.bytes,
                    ready: departure + (epoch.seconds + Self.outputDelaySeconds) / pace)
                next = receiver.next()
            }
            _ = try port.observe()
            try port.send(pacer.due(at: now))
            ElapsedClock.sleep(milliseconds: Self.tickMilliseconds)
        }
    }

    private var endIsAskedFor: Bool { CaughtSignals.take(SIGTERM) || CaughtSignals.take(SIGINT) }
}
