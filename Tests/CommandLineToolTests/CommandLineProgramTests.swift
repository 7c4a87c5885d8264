import CommandLineTool
import Foundation
import Testing

@Suite("Command line program")
struct CommandLineProgramTests {
    @Test(
        "arguments reach their command",
        arguments: [
            (["status"], "good timeout=5 rate=1.0 paths=\n"),
            (["status", "--timeout", "7"], "good timeout=7 rate=1.0 paths=\n"),
            (["status", "--timeout=7", "--json"], "good timeout=7 rate=1.0 paths=\n{}\n"),
            (["status", "-t", "9", "--rate", "-2.5"], "good timeout=9 rate=-2.5 paths=\n"),
            (["status", "--path", "a=b", "--path=--c"], "good timeout=5 rate=1.0 paths=a=b+--c\n"),
            (["fences", "list"], "list all\n"),
            (["fences", "list", "circle"], "list circle\n"),
            (["fences", "add", "-33.5", "--name", "x", "-.5"], "add x at -33.5 -.5\n"),
            (["fences", "add", "--name=", "--", "--name", "-q"], "add  at --name -q\n"),
            (
                ["status", "--color", "always"],
                "\u{1B}[32mgood\u{1B}[0m timeout=5 rate=1.0 paths=\n"
            ),
            (["status", "--color=never"], "good timeout=5 rate=1.0 paths=\n"),
            (["--version"], "sample 1.2.3\n"),
        ] as [([String], String)])
    func dispatches(arguments: [String], output: String) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.output == output)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.status == .success)
    }

    @Test(
        "a wrong command line is named, explained and refused with 2",
        arguments: [
            (["status", "--jsno"], "sample: unknown option --jsno, did you mean --json?"),
            (["status", "--whatever"], "sample: unknown option --whatever"),
            (["status", "-json"], "sample: unknown option -json, did you mean --json?"),
            (["status", "-x"], "sample: unknown option -x"),
            (["status", "--json=yes"], "sample: --json takes no value"),
            (["status", "--json", "--json"], "sample: --json is given twice"),
            (["status", "--timeout"], "sample: --timeout needs a value: --timeout SECONDS"),
            (
                ["status", "--timeout", "--json"],
                "sample: --timeout needs a value: --timeout SECONDS"
            ),
            (["status", "--timeout", "0"], "sample: --timeout: 0 is out of range, allowed 1...60"),
            (["status", "--timeout", "1.5"], "sample: --timeout: '1.5' is not a whole number"),
            (
                ["status", "--timeout", "99999999999999999999"],
                "sample: --timeout: '99999999999999999999' is not a whole number"
            ),
            (["status", "--rate", "nan"], "sample: --rate: 'nan' is not a number"),
            (["status", "--rate", "0x1p3"], "sample: --rate: '0x1p3' is not a number"),
            (
                ["status", "--rate", "1e400"],
                "sample: --rate: 1e400 is out of range, allowed -10.0...10.0"
            ),
            (["status", "extra"], "sample: unexpected argument 'extra'"),
            (
                ["status", "--color", "blue"],
                "sample: --color: 'blue' is not one of auto, always, never"
            ),
            (["fences", "add", "1"], "sample: --name is required: --name NAME"),
            (["fences", "add", "--name", "x"], "sample: NUMBER is missing: a number"),
            (
                ["fences", "list", "circel"],
                "sample: KIND: 'circel' is not one of circle, polygon, did you mean circle?"
            ),
            (["fences", "lsit"], "sample: unknown command 'fences lsit', did you mean list?"),
            (["statsu"], "sample: unknown command 'statsu', did you mean status?"),
            (["--nope"], "sample: unknown option '--nope'"),
            (["", "--"], "sample: unknown command ''"),
        ] as [([String], String)])
    func refuses(arguments: [String], message: String) async throws {
        let outcome = try await run(arguments)
        let lines = outcome.errors.split(separator: "\n").map(String.init)
        #expect(lines.first == message)
        #expect(lines.last?.hasPrefix("Try 'sample") == true)
        #expect(outcome.output.isEmpty)
        #expect(outcome.status == .usage)
    }

    @Test("without a command it prints help as an error", arguments: [[], ["fences"]])
    func explainsItself(arguments: [String]) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("fences list  all fences"))
    }

    @Test(
        "help that is asked for is data, whatever else is wrong",
        arguments: [
            ["status", "--help"], ["status", "-h"], ["help", "status"],
            ["status", "extra", "--help"], ["status", "--timeout", "900", "--help"],
        ])
    func helps(arguments: [String]) async throws {
        let outcome = try await run(arguments)
        #expect(outcome.status == .success)
        #expect(outcome.errors.isEmpty)
        #expect(
            outcome.output == """
                sample status: how it is

                usage: sample status [--json] [--check] [--timeout SECONDS] [--rate X]
                    [--path FILE...]

                options:
                  --json                 print JSON instead of words
                  -c, --check            exit 4 when degraded
                  -t, --timeout SECONDS  how long to wait (default: 5)
                  --rate X               how fast
                  --path FILE            a file
                  --color WHEN           colour the output: auto, always, never (default: auto)
                  -h, --help             print this help and exit

                example:
                  sample status --json

                """)
    }

    @Test("help of the program lists all commands, help of a group its own")
    func listsCommands() async throws {
        let whole = try await run(["--help"]).output
        let group = try await run(["fences", "--help"]).output
        #expect(whole.contains("sample: a program for tests") && whole.contains("  status  "))
        #expect(group.contains("  fences add  ") && !group.contains("  status"))
        #expect(try await run(["help", "fences"]).output == group)
        #expect(try await run(["help"]).output == whole)
    }

    @Test(
        "a failing command says why, after its data, with its own status",
        arguments: [
            ("known", ExitCode.agentNotRunning, "sample: cannot reach the agent\n"),
            (
                "unknown", .failure,
                "sample: cannot write the output: No space left on device\n"
            ),
        ])
    func fails(how: String, status: ExitCode, errors: String) async throws {
        let outcome = try await run(["fail", how])
        #expect(outcome.status == status)
        #expect(outcome.output == "data before the failure\n")
        #expect(outcome.errors == errors)
    }

    @Test("the status of a command is the status of the program")
    func passesTheStatus() async throws {
        #expect(try await run(["status", "-c"]).status == .degraded)
        #expect(ExitCode.configuration.rawValue == 78)
    }

    @Test("a reader that leaves ends the program without a word")
    func endsQuietly() async throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        var errors = try Capture()
        let console = Console(
            programName: "sample", output: OutputWriter(descriptor: ends[1]),
            errors: OutputWriter(descriptor: errors.descriptor))
        let status = await SampleProgram.program.run(["flood"], on: console)
        close(ends[1])
        #expect(status == .success)
        #expect(errors.take().isEmpty)
    }

    @Test("a full disk is a failure that is told")
    func tellsAboutAFullDisk() async throws {
        let full = open("/dev/full", O_WRONLY)
        try #require(full >= 0)
        defer { close(full) }
        var errors = try Capture()
        let console = Console(
            programName: "sample", output: OutputWriter(descriptor: full),
            errors: OutputWriter(descriptor: errors.descriptor))
        let status = await SampleProgram.program.run(["status"], on: console)
        #expect(status == .failure)
        #expect(errors.take() == "sample: cannot write the output: No space left on device\n")
    }

    private func run(_ arguments: [String]) async throws -> Outcome {
        try await Outcome.running(arguments)
    }
}
