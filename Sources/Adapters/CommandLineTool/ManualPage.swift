/// The manual page of a program in the man(7) macros, made from its declarations.
public enum ManualPage {
    /// The text of `NAME.1`. `date` is its date as ISO 8601, so that a build can be reproduced.
    public static func text(for program: CommandLineProgram, date: String) -> String {
        var lines = [
            ".TH \"\(program.name.uppercased())\" 1 \"\(date)\" \"\(escaped(program.version))\"",
            ".SH NAME", "\(escaped(program.name)) \\- \(escaped(program.summary))",
            ".SH SYNOPSIS", ".B \(escaped(program.name))", "COMMAND [OPTION...]",
            ".SH COMMANDS",
        ]
        for command in program.commands { lines += section(command.declaration, program.name) }
        lines += [".SH EXIT STATUS"]
        for status in ExitCode.allCases {
            lines += [".TP", "\(status.rawValue)", meaning(of: status)]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func section(_ declaration: CommandDeclaration, _ program: String) -> [String] {
        var lines = [
            ".SS \"\(escaped(HelpText.usage(declaration)))\"",
            "\(escaped(sentence(declaration.summary)))",
        ]
        if !declaration.discussion.isEmpty { lines += [".PP", escaped(declaration.discussion)] }
        for positional in declaration.positionals {
            lines += [
                ".TP", ".I \(escaped(positional.name))",
                escaped(HelpText.summary(of: positional)),
            ]
        }
        for option in declaration.options {
            lines += [
                ".TP", ".B \(escaped(HelpText.term(of: option)))",
                escaped(HelpText.summary(of: option)),
            ]
        }
        return lines + [".PP", ".EX", "\(escaped("\(program) \(declaration.example)"))", ".EE"]
    }

    private static func sentence(_ phrase: String) -> String {
        phrase.prefix(1).uppercased() + phrase.dropFirst() + "."
    }

    private static func meaning(of status: ExitCode) -> String {
        switch status {
        case .success: "Done."
        case .failure: "The work could not be done; standard error says why."
        case .usage: "The command line is wrong."
        case .agentNotRunning: "The agent does not answer on its control socket."
        case .degraded: "The agent runs, but something needs a person."
        case .thresholdMissed: "A measured figure missed its threshold."
        case .inconclusive: "The input does not allow an answer."
        case .configuration: "The configuration is refused."
        }
    }

    /// Hyphens stay hyphens, and neither a backslash nor a first dot or quote is a request.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
            .replacing("\n", with: " ")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}
