import CommandLineTool
import Glibc
import Simulation
import Timekeeping

/// What the arguments of `simulate` ask for.
struct SimulationPlan {
    let route: Route
    let drive: RouteDrive
    let seed: UInt64
    /// Nil: now.
    let start: UTCTime?
    let truthPath: String?
    let outputPath: String?
    let link: String?
    let speed: LineSpeed
    /// Times real time; nil: as fast as possible.
    let pace: Double?
    let unplugAtSeconds: Double?
    let replugAfterSeconds: Double
    let waitsForReader: Bool
    private let settings: ReceiverModel.Settings

    /// Longest time that an option may ask for, seconds.
    private static let longest = 604_800.0

    init(_ arguments: ParsedArguments) throws {
        let route = try Self.route(arguments.string("route") ?? "")
        self.route = route
        drive = RouteDrive(route)
        seed = UInt64(try arguments.int("seed", in: 0...Int.max) ?? 1)
        start = try Self.time(arguments)
        truthPath = arguments.string("truth")
        outputPath = arguments.string("output")
        link = arguments.string("pty")
        speed = try Self.speed(arguments)
        switch arguments.string("speed") {
        case "1": pace = 1
        case "10": pace = 10
        case nil: pace = link == nil ? nil : 1
        default: pace = nil
        }
        unplugAtSeconds = try arguments.double("unplug-at", in: 0...Self.longest)
        replugAfterSeconds = try arguments.double("replug-after", in: 0...Self.longest) ?? 5
        waitsForReader = arguments.flag("wait-for-reader")
        settings = try Self.settings(arguments)
        try check(arguments)
    }

    /// The receiver of the plan, departing at a time.
    func receiver(start: UTCTime) -> ReceiverModel {
        var settings = settings
        settings.start = start
        return ReceiverModel(route, drive: drive, settings: settings, seed: seed)
    }

    /// Writes the truth track, if one is asked for.
    func writeTruth(start: UTCTime) throws {
        guard let truthPath else { return }
        let file = try OutputFile(truthPath)
        var track = TruthTrack(drive, start: start, lingerSeconds: settings.lingerSeconds)
        while let line = track.next() { try file.write(line) }
        try file.finish()
    }

    private func check(_ arguments: ParsedArguments) throws {
        guard link != nil else {
            for name in ["baud", "unplug-at", "replug-after"] where arguments.string(name) != nil {
                throw UsageError("--\(name) needs --pty")
            }
            if waitsForReader { throw UsageError("--wait-for-reader needs --pty") }
            return
        }
        if outputPath != nil { throw UsageError("--output and --pty exclude each other") }
        if pace == nil { throw UsageError("--speed max: a serial port has a speed of its own") }
        var trial = receiver(start: UTCTime(millisecondsSince1970: 0))
        let bytesAtOnce = Self.bytesOfOneSecond(&trial)
        let capacity = speed.baud / 10 * Int(pace ?? 1)
        if bytesAtOnce > capacity {
            throw UsageError(
                "\(bytesAtOnce) bytes a second do not fit into \(speed.baud) baud (\(capacity) "
                    + "bytes): lower --rate, name fewer --sentences or raise --baud")
        }
    }

    private static func bytesOfOneSecond(_ receiver: inout ReceiverModel) -> Int {
        var count = 0
        while let epoch = receiver.next(), epoch.seconds < 1 { count += epoch.bytes.count }
        return count
    }

    private static func route(_ path: String) throws -> Route {
        guard let bytes = InputFile.bytes(path) else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        do {
            return try Route(geoJSON: bytes)
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    private static func time(_ arguments: ParsedArguments) throws -> UTCTime? {
        guard let text = arguments.string("start"), text != "now" else { return nil }
        guard let time = UTCTime(rfc3339: text) else {
            throw UsageError("--start: '\(text)' is not like 2026-01-31T12:00:00Z")
        }
        return time
    }

    private static func speed(_ arguments: ParsedArguments) throws -> LineSpeed {
        let baud = arguments.string("baud") ?? "9600"
        guard let speed = LineSpeed.all.first(where: { "\($0.baud)" == baud }) else {
            let list = LineSpeed.all.map { "\($0.baud)" }.joined(separator: ", ")
            throw UsageError("--baud: '\(baud)' is not one of \(list)")
        }
        return speed
    }

    private static func settings(_ arguments: ParsedArguments) throws -> ReceiverModel.Settings {
        guard var noise = ReceiverNoise(name: arguments.string("noise") ?? "none") else {
            throw UsageError("--noise: one of \(ReceiverNoise.names.joined(separator: ", "))")
        }
        noise.slowShare = try arguments.double("slow-share", in: 0...1) ?? 0
        noise.jumpsPerHour = try arguments.double("jumps", in: 0...3600) ?? 0
        noise.claimFactor = try arguments.double("claim", in: 0.1...10) ?? 1
        var settings = ReceiverModel.Settings(
            start: UTCTime(millisecondsSince1970: 0), noise: noise)
        let rate = try arguments.double("rate", in: 0.01...25) ?? 1
        settings.periodMilliseconds = Int64((100 / rate).rounded()) * 10
        settings.coldStartSeconds = try arguments.double("cold-start", in: 0...longest) ?? 0
        settings.lingerSeconds = try arguments.double("linger", in: 0...longest) ?? 0
        settings.outages = try arguments.strings("outage").map(outage)
        if let list = arguments.string("sentences") {
            settings.sentences = Set(try list.split(separator: ",").map(kind))
        }
        return settings
    }

    private static func kind(_ name: Substring) throws -> SentenceKind {
        guard let kind = SentenceKind(rawValue: String(name)) else {
            let list = SentenceKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--sentences: '\(name)' is not one of \(list)")
        }
        return kind
    }

    private static func outage(_ text: String) throws -> ClosedRange<Double> {
        let parts = text.split(separator: ":").map { Double($0) }
        guard parts.count == 2, let start = parts[0], let length = parts[1],
            (0...longest).contains(start), (0...longest).contains(length)
        else { throw UsageError("--outage: '\(text)' is not like 60:20") }
        return start...start + length
    }
}
