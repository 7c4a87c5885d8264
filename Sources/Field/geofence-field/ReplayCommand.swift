import CommandLineTool
import Compression
import Cryptography
import FieldTools
import Geofencing
import Glibc
import LinuxSystem
import WireFormat

/// `replay`: a recording or a track through the agent's own pipeline.
struct ReplayCommand: Command {
    static let declaration = CommandDeclaration(
        "replay", summary: "decide again what a recorded drive decided",
        example: "replay --fences depots.geojson drive.nmea",
        discussion: """
            Prints each enter, exit, dwell and pass as one JSON object a line, and nothing else; \
            the SHA-256 of these bytes goes to standard error. FILE is a recording \
            (.rec.ndjson), an NMEA log (plain, NMEA,$...,ms, or with ISO times before each \
            sentence), gpsd JSON (gpspipe -w), GPX or CSV, each also gzipped; - is standard input; \
            a folder stands for the recordings in it, in their order. What an agent recorded is \
            compared with what the replay decides: the first decision that differs goes to \
            standard error, and the status is 1. Where inputs are missing or of a kind that this \
            version does not know, or FILE holds none, nothing is proven, and the status is 6. \
            A fence that a server would refuse is named and judged as the agent does.
            """,
        positionals: [CommandPositional("FILE", "what to replay", .repeated)],
        options: [
            .value("fences", "FILE", "fences instead of the recording's: wire JSON or GeoJSON"),
            .value("speed", "X", "times real time", default: "max", oneOf: ["max", "1", "10"]),
        ])

    /// Bytes of an inflated input; a day of a 10 Hz receiver with all its sentences is half of it.
    private static let maxBytes = 2_000_000_000

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let paths = try arguments.strings("FILE").flatMap(files)
        guard !paths.isEmpty else {
            throw CommandFailure("no recording in \(arguments.strings("FILE")[0])")
        }
        let fences = try arguments.string("fences").map { try Self.fences($0, console) }
        let pace = Pace(times: arguments.string("speed").flatMap(Double.init))
        var hash = try SHA256()
        var started: Replay?
        for path in paths {
            let bytes = try read(path)
            if isRecording(path), RecordingReader.isTornAtStart(bytes) {
                console.note("\(path): the part is torn before its first line and was passed over")
                continue
            }
            var replay =
                try started.map { try proceeding($0, to: bytes, path) }
                ?? opened(bytes, fences, path)
            try play(&replay, path, pace, &hash, console)
            if replay.isTorn { console.note("\(path): the last line is torn and was passed over") }
            started = replay
        }
        guard var replay = started else {
            throw CommandFailure(
                "inconclusive: nothing is recorded in \(paths.joined(separator: ", "))",
                status: .inconclusive)
        }
        replay.conclude()
        return try conclude(replay, hash.finish(), console)
    }

    private static func proceeding(
        _ replay: Replay, to bytes: [UInt8], _ path: String
    ) throws -> Replay {
        var replay = replay
        do throws(RecordingError) {
            try replay.proceed(to: bytes)
            return replay
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }

    private static func play(
        _ replay: inout Replay, _ path: String, _ pace: Pace, _ hash: inout SHA256,
        _ console: Console
    ) throws {
        var isEmpty = true
        do {
            while let step = try replay.next() {
                isEmpty = false
                if !step.transitions.isEmpty { pace.wait(until: step.milliseconds) }
                for transition in step.transitions {
                    let line = try WireCoding.encode(WireDecision(transition)) + [0x0A]
                    try hash.update(line)
                    try console.output.bytes(line)
                    if pace.isPaced { try console.output.flush() }
                }
            }
        } catch let error as RecordingError {
            throw CommandFailure("\(path): \(error)")
        }
        if isEmpty { throw nothing(in: path) }
    }

    private static func nothing(in path: String) -> CommandFailure {
        CommandFailure(
            "inconclusive: \(path) holds no epoch and no record of a form that is known",
            status: .inconclusive)
    }

    /// The recordings of a folder by name, which is their order; else the file itself.
    private static func files(_ path: String) throws -> [String] {
        guard let names = try? FolderListing.names(in: path) else { return [path] }
        return names.filter(isRecording)
            .map { path.hasSuffix("/") ? path + $0 : "\(path)/\($0)" }
    }

    private static func isRecording(_ path: String) -> Bool {
        path.hasSuffix(".rec.ndjson") || path.hasSuffix(".rec.ndjson.gz")
    }

    /// The fences of a file; what a server would refuse in them is told, as the agent flags it.
    private static func fences(_ path: String, _ console: Console) throws -> [Fence] {
        let bytes = try read(path)
        do throws(WireError) {
            let (fences, defects) = try FenceDocument.examinedFences(from: bytes)
            for defect in defects {
                console.note(
                    "\(path): \(defect.placedDescription): geometryDegraded, a server would refuse it"
                )
            }
            return fences
        } catch {
            throw CommandFailure("\(path): \(error.placedDescription)")
        }
    }

    private static func opened(
        _ bytes: [UInt8], _ fences: [Fence]?, _ path: String
    ) throws -> Replay {
        do throws(RecordingError) {
            return try Replay(bytes, fences: fences)
        } catch {
            if error == TrackFile.unrecognised { throw nothing(in: path) }
            throw CommandFailure("\(path): \(error)")
        }
    }

    private static func conclude(
        _ replay: Replay, _ digest: [UInt8], _ console: Console
    ) throws -> ExitCode {
        try console.output.flush()
        for refused in replay.refusedFences {
            console.note("fence \(refused.id) is left out: \(refused.message)")
        }
        console.note("sha256 \(Hexadecimal.encode(digest))")
        let comparison = replay.comparison
        if comparison.cutOff > 0 {
            console.note(
                "\(comparison.cutOff) decisions of a last input are not in the recording, which "
                    + "was cut off there")
        }
        if let difference = comparison.difference {
            throw CommandFailure(try words(difference))
        }
        var reasons = replay.doubts
        if !replay.unknownInputs.isEmpty {
            reasons.append(
                "inputs of unknown kind: \(replay.unknownInputs.joined(separator: ", "))")
        }
        guard reasons.isEmpty else {
            throw CommandFailure(
                "inconclusive: \(reasons.joined(separator: "; "))", status: .inconclusive)
        }
        if comparison.agreed > 0 {
            console.note("\(comparison.agreed) decisions are the recorded ones")
        }
        return .success
    }

    private static func words(_ difference: DecisionComparison.Difference) throws -> String {
        func text(_ decision: WireDecision?) throws -> String {
            guard let decision else { return "nothing" }
            return String(decoding: try WireCoding.encode(decision), as: UTF8.self)
        }
        return "decision \(difference.number) differs\nrecorded: \(try text(difference.recorded))"
            + "\nreplayed: \(try text(difference.replayed))"
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let bytes = InputFile.bytes(path == "-" ? "/dev/stdin" : path) else {
            throw CommandFailure("\(path): \(String(cString: strerror(errno)))")
        }
        guard bytes.starts(with: [0x1F, 0x8B]) else { return bytes }
        do throws(CompressionError) {
            return try Gzip.decompress(bytes, limit: maxBytes)
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
    }
}

/// Waits so that a replay runs at a multiple of real time.
struct Pace {
    private let times: Double?
    private let start = Pace.now

    /// - Parameter times: nil: as fast as it goes.
    init(times: Double?) {
        self.times = times
    }

    var isPaced: Bool { times != nil }

    func wait(until milliseconds: Int64) {
        guard let times else { return }
        let due = start + Double(milliseconds) / 1000 / times
        let rest = due - Self.now
        if rest > 0 { usleep(UInt32(min(rest, 3600) * 1_000_000)) }
    }

    private static var now: Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
