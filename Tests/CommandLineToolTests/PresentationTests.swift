import Foundation
import TestSupport
import Testing

@testable import CommandLineTool

@Suite("Presentation")
struct PresentationTests {
    @Test(
        "colour follows the option, then NO_COLOR, then the terminal",
        arguments: [
            (.always, false, "1", "dumb", true), (.never, true, nil, "xterm", false),
            (.auto, true, nil, "xterm", true), (.auto, true, "", "xterm", true),
            (.auto, true, "1", "xterm", false), (.auto, false, nil, "xterm", false),
            (.auto, true, nil, "dumb", false), (.auto, true, nil, nil, true),
        ] as [(ColorChoice, Bool, String?, String?, Bool)])
    func choosesColor(
        choice: ColorChoice, isTerminal: Bool, noColor: String?, terminal: String?, colored: Bool
    ) {
        #expect(
            choice.isEnabled(isTerminal: isTerminal, noColor: noColor, terminalType: terminal)
                == colored)
    }

    @Test(
        "progress is a count, and a share where the total is known",
        arguments: [
            (0, 100, "replaying 0 % (0 of 100)"), (50, 200, "replaying 25 % (50 of 200)"),
            (300, 200, "replaying 100 % (300 of 200)"), (7, nil, "replaying 7"),
            (7, 0, "replaying 7"), (-1, 10, "replaying 0 % (-1 of 10)"),
        ] as [(Int, Int?, String)])
    func showsProgress(done: Int, total: Int?, line: String) {
        #expect(ProgressReporter.line("replaying", done, total) == line)
    }

    @Test("progress draws on a terminal and on nothing else")
    func drawsOnTerminalsOnly() throws {
        var file = try Capture()
        let silent = ProgressReporter("x", total: 2, on: OutputWriter(descriptor: file.descriptor))
        silent.update(1)
        silent.finish()
        #expect(file.take().isEmpty)

        let terminal = try PseudoTerminal()
        let person = open(terminal.path, O_RDWR | O_NOCTTY)
        try #require(person >= 0)
        defer { close(person) }
        let drawn = ProgressReporter("x", total: 2, on: OutputWriter(descriptor: person))
        drawn.update(1)
        let seen = String(decoding: terminal.receive(), as: UTF8.self)
        #expect(seen == "\rx 50 % (1 of 2)\u{1B}[K")
    }

    @Test(
        "a guess is made for near words only",
        arguments: [
            ("jsno", "json"), ("jsonn", "json"), ("cofnig", "config"), ("banana", nil), ("", nil),
            (String(repeating: "a", count: 10_000), nil),
        ] as [(String, String?)])
    func guesses(word: String, expected: String?) {
        #expect(Spelling.nearest(to: word, among: ["json", "config", "timeout"]) == expected)
    }

    @Test(
        "bash completes words, options and choices",
        arguments: [
            ("sample st", ["status"]), ("sample status --ch", ["--check"]),
            ("sample fences ", ["list", "add", "--help"]), ("sample fences list ci", ["circle"]),
        ])
    func completesInBash(line: String, expected: [String]) throws {
        let script = CompletionScript.bash.text(for: SampleProgram.program)
        let ask = """
            \(script)
            COMP_WORDS=(\(line)\(line.hasSuffix(" ") ? " ''" : ""))
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _sample; printf '%s\\n' "${COMPREPLY[@]}"
            """
        #expect(try shell(["bash", "-c", ask]) == expected)
    }

    @Test("the scripts for zsh and fish hold every command and option")
    func completesElsewhere() {
        let zsh = CompletionScript.zsh.text(for: SampleProgram.program)
        let fish = CompletionScript.fish.text(for: SampleProgram.program)
        #expect(zsh.hasPrefix("#compdef sample\n"))
        #expect(fish.contains("__fish_seen_subcommand_from fences"))
        #expect(fish.contains("-f -a add -d 'adds fences'"))
        #expect(fish.contains("-s t -l timeout -r -d 'how long to wait'"))
    }

    @Test("a discussion is one text however its source is broken; an empty line parts paragraphs")
    func wrapsADiscussion() {
        let declaration = CommandDeclaration(
            "go", summary: "goes", example: "go",
            discussion: "One\ntwo\n\n" + String(repeating: "word ", count: 17) + "end\nlast")
        let help = HelpText.command(declaration, program: "sample")
        let words = Array(repeating: "word", count: 16).joined(separator: " ")
        #expect(help.contains("\n\nOne two\n\n\(words)\nword end last\n\n"))
    }

    private func shell(_ words: [String]) throws -> [String] {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
