import CommandLineTool
import Glibc

/// A program like the real ones, small enough to know by heart.
enum SampleProgram {
    static let program = CommandLineProgram(
        name: "sample", version: "1.2.3", summary: "a program for tests",
        commands: [Status.self, FencesList.self, FencesAdd.self, Fail.self, Flood.self])

    struct Status: Command {
        static let declaration = CommandDeclaration(
            "status", summary: "how it is", example: "status --json",
            options: [
                .json, .flag("check", short: "c", "exit 4 when degraded"),
                .value("timeout", "SECONDS", short: "t", "how long to wait", default: "5"),
                .value("rate", "X", "how fast"),
                .value("path", "FILE", "a file", isRepeatable: true),
            ])

        static func run(_ arguments: ParsedArguments, on console: Console) throws -> ExitCode {
            let timeout = try arguments.int("timeout", in: 1...60) ?? 5
            let rate = try arguments.double("rate", in: -10...10) ?? 1
            let paths = arguments.strings("path").joined(separator: "+")
            let state = console.styled("good", .green)
            try console.print("\(state) timeout=\(timeout) rate=\(rate) paths=\(paths)")
            if arguments.flag("json") { try console.print("{}") }
            return arguments.flag("check") ? .degraded : .success
        }
    }

    struct FencesList: Command {
        static let declaration = CommandDeclaration(
            "fences list", summary: "all fences", example: "fences list circle",
            positionals: [
                CommandPositional("KIND", "which kind", .optional, oneOf: ["circle", "polygon"])
            ])

        static func run(_ arguments: ParsedArguments, on console: Console) throws -> ExitCode {
            try console.print("list \(arguments.string("KIND") ?? "all")")
            return .success
        }
    }

    struct FencesAdd: Command {
        static let declaration = CommandDeclaration(
            "fences add", summary: "adds fences", example: "fences add --name home 52.5 13.4",
            positionals: [CommandPositional("NUMBER", "a number", .repeated)],
            options: [.value("name", "NAME", "what it is called", isRequired: true)])

        static func run(_ arguments: ParsedArguments, on console: Console) throws -> ExitCode {
            let numbers = arguments.strings("NUMBER").joined(separator: " ")
            try console.print("add \(arguments.string("name") ?? "") at \(numbers)")
            return .success
        }
    }

    struct Fail: Command {
        static let declaration = CommandDeclaration(
            "fail", summary: "fails", example: "fail",
            positionals: [CommandPositional("HOW", "how", oneOf: ["known", "unknown"])])

        static func run(_ arguments: ParsedArguments, on console: Console) throws -> ExitCode {
            try console.print("data before the failure")
            guard arguments.string("HOW") == "known" else { throw OutputError.failed(ENOSPC) }
            throw CommandFailure("cannot reach the agent", status: .agentNotRunning)
        }
    }

    struct Flood: Command {
        static let declaration = CommandDeclaration(
            "flood", summary: "prints for ever", example: "flood | head -1")

        static func run(_ arguments: ParsedArguments, on console: Console) throws -> ExitCode {
            while true { try console.print("a line of the flood") }
        }
    }
}

/// What one run of the program left behind.
struct Outcome {
    var status: ExitCode
    var output: String
    var errors: String

    static func running(_ arguments: [String]) async throws -> Outcome {
        var output = try Capture()
        var errors = try Capture()
        let console = Console(
            programName: "sample", output: OutputWriter(descriptor: output.descriptor),
            errors: OutputWriter(descriptor: errors.descriptor))
        let status = await SampleProgram.program.run(arguments, on: console)
        return Outcome(status: status, output: output.take(), errors: errors.take())
    }
}

/// A temporary file without a name that stands for an output.
struct Capture {
    let descriptor: Int32

    struct SetupError: Error {}

    init() throws {
        var template = Array("/tmp/capture.XXXXXX".utf8CString)
        descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw SetupError() }
        unlink(template)
    }

    /// Everything written so far; closes the file.
    mutating func take() -> String {
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, bytes.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }
}
