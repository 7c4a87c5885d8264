import CommandLineTool
import FieldTools
import Geodesy
import Glibc
import HTTPTransport
import LinuxSystem
import WireFormat

/// `geofence-field load`: a fleet of simulated agents against a server.
struct LoadCommand: Command {
    static let declaration = CommandDeclaration(
        "load", summary: "put the load of a fleet of simulated agents on a server",
        example: "load --server http://127.0.0.1:8948 --provision admin-key --devices 10000",
        discussion: """
            Each device asks for its fences, stops at some of them and uploads its events by the \
            agent's own rules: batches, receipts, pauses, backoff, heartbeats, the server's \
            configuration. All devices share --connections connections, each with one request at a \
            time; how long they wait for one is told. With --provision each device first gets a key \
            of its own by a single-use code; with --key all use the same key of the workspace, which \
            has one limit of requests for all of them.

            The devices stay in the workspace, with their events. Exit status 0: every request was \
            answered as it should be, and every event delivered; 1: not.
            """,
        options: [
            .value("server", "URL", "address of the server", isRequired: true),
            .value("key", "FILE", "holds a key of the workspace for devices"),
            .value("provision", "FILE", "holds a key of an administrator"),
            .value("ca-file", "FILE", "PEM file of the authorities to trust"),
            .value("devices", "N", "1 to 100000", default: "100"),
            .value("duration", "S", "how long they live, 1 to 86400 seconds", default: "60"),
            .value("ramp", "S", "seconds over which they start", default: "10"),
            .value(
                "rate", "N", "events a second of the whole fleet; a tenth of the devices else"),
            .value("connections", "N", "that they share, 1 to 1000", default: "64"),
            .value("around", "LAT,LON", "where they are", default: "52.52,13.405"),
            .value("spread", "KM", "how far from there at most, 0 to 1000", default: "20"),
            .value("pool", "N", "fences that a device asks for, 18 to 500", default: "100"),
            .value("lose", "PERCENT", "receipts that are lost, 0 to 90", default: "0"),
            .value("drain", "S", "how long the end may take, 1 to 3600", default: "180"),
            .value("server-pid", "PID", "whose memory is told"),
            .value("seed", "N", "of everything that is left to chance", default: "1"),
            .json,
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        CaughtSignals.install()
        let plan = try plan(arguments)
        let connections = try connections(arguments)
        let keys = try keys(arguments, plan, connections, console)
        var memory = try arguments.int("server-pid", in: 1...Int(Int32.max))
            .map(ServerMemory.init)
        if memory?.look() == false { throw UsageError("--server-pid: there is no such process") }
        let begun = ElapsedClock.seconds
        let drain = try arguments.double("drain", in: 1...3_600) ?? 180
        let (result, life) = try drive(plan, keys, connections, drain, &memory, console)
        let report = LoadReport(
            result.tally, made: result.made, pending: result.pending, lost: result.lost,
            plan: plan, connections: connections.count, seconds: ElapsedClock.seconds - begun,
            life: life,
            memory: LoadReport.Memory(
                load: ProcessFootprint.current()?.residentBytes ?? 0, server: memory?.most))
        if arguments.flag("json") {
            try console.print(String(decoding: WireCoding.encode(report), as: UTF8.self))
        } else {
            for line in report.lines { try console.print(line) }
        }
        if result.withoutFences > 0 {
            console.note(
                "the server named no fences to \(result.withoutFences) devices: no events of these")
        }
        return report.isClean ? .success : .failure
    }

    // MARK: The run

    private static let tickMilliseconds = 5
    private static let ticksPerLook = 50

    /// Also tells how long the devices made events, seconds.
    private static func drive(
        _ plan: LoadPlan, _ keys: [String], _ connections: [HTTPConnection], _ drain: Double,
        _ memory: inout ServerMemory?, _ console: Console
    ) throws -> (FleetRun.Result, life: Double) {
        let fleet = FleetRun(plan, keys: keys)
        let threads = try connections.map { connection in
            try DedicatedThread(name: "fleet") { fleet.serve(on: connection) }
        }
        let progress = console.progress("load", total: Int(plan.durationSeconds))
        let start = ElapsedClock.seconds
        var life: Double?
        var ticks = 0
        while true {
            let elapsed = ElapsedClock.seconds - start
            let isInterrupted = CaughtSignals.take(SIGINT) || CaughtSignals.take(SIGTERM)
            if life == nil, elapsed >= plan.durationSeconds || isInterrupted {
                life = elapsed
                fleet.stop()
            } else if life != nil, isInterrupted {
                break
            }
            fleet.queueDue()
            if let life, fleet.doneCount == plan.devices || elapsed > life + drain { break }
            if ticks % ticksPerLook == 0 { memory?.look() }
            ticks += 1
            progress.update(Int(elapsed))
            ElapsedClock.sleep(milliseconds: tickMilliseconds)
        }
        progress.finish()
        fleet.close(connections: connections.count)
        for thread in threads where !thread.join(milliseconds: 35_000) {
            throw CommandFailure("a connection does not end")
        }
        return (fleet.result, life ?? 0)
    }

    // MARK: What it is given

    private static func plan(_ arguments: ParsedArguments) throws -> LoadPlan {
        let devices = try arguments.int("devices", in: LoadPlan.deviceRange) ?? 100
        return LoadPlan(
            devices: devices,
            durationSeconds: try arguments.double("duration", in: 1...86_400) ?? 60,
            rampSeconds: try arguments.double("ramp", in: 0...86_400) ?? 10,
            eventsPerSecond: try arguments.double("rate", in: 0.001...1_000_000)
                ?? Double(devices) / 10,
            lostAnswers: (try arguments.double("lose", in: 0...90) ?? 0) / 100,
            around: try place(arguments.string("around") ?? "52.52,13.405"),
            spreadMeters: (try arguments.double("spread", in: 0...1_000) ?? 20) * 1_000,
            pool: try arguments.int("pool", in: LoadPlan.poolRange) ?? 100,
            seed: UInt64(try arguments.int("seed", in: 0...Int.max) ?? 1))
    }

    private static func place(_ text: String) throws(UsageError) -> Coordinate {
        let numbers = text.split(separator: ",").map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitude: latitude, longitude: longitude)
        else { throw UsageError("--around: '\(text)' is not LAT,LON in degrees") }
        return place
    }

    private static func connections(_ arguments: ParsedArguments) throws -> [HTTPConnection] {
        let url: ServerURL
        do throws(ServerURLError) {
            url = try ServerURL(arguments.string("server") ?? "")
        } catch {
            throw UsageError("--server: \(error)")
        }
        let settings = TransportSettings(
            server: url, apiKey: "", deviceID: "load",
            authorityFile: arguments.string("ca-file"), version: ProjectVersion.current,
            architecture: "load")
        let count = try arguments.int("connections", in: 1...1_000) ?? 64
        let timekeeper = SystemTimekeeper()
        return (0..<count).map { _ in
            HTTPConnection(settings: settings, timekeeper: timekeeper)
        }
    }

    private static func keys(
        _ arguments: ParsedArguments, _ plan: LoadPlan, _ connections: [HTTPConnection],
        _ console: Console
    ) throws -> [String] {
        switch (arguments.string("key"), arguments.string("provision")) {
        case (let file?, nil):
            return [String](repeating: try secret(in: file), count: plan.devices)
        case (nil, let file?):
            let keys = FleetKeys(devices: plan.devices, adminKey: try secret(in: file))
            let threads = try connections.map { connection in
                try DedicatedThread(name: "provision") { keys.provision(on: connection) }
            }
            let progress = console.progress("provisioning", total: plan.devices)
            for thread in threads {
                while !thread.join(milliseconds: 100) { progress.update(keys.count) }
            }
            progress.finish()
            return try keys.all()
        default: throw UsageError("either --key or --provision is needed")
        }
    }

    private static func secret(in file: String) throws(CommandFailure) -> String {
        guard let line = FileContents.line(file) else {
            throw CommandFailure("\(file): holds no key, or cannot be read")
        }
        return line
    }
}
