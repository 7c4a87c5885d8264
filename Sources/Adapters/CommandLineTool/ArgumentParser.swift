/// Turns the arguments of one command into values by its declaration. Pure.
///
/// `--name value` and `--name=value` mean the same; `-x` is the declared short form; everything after
/// `--` is positional; `-` and negative numbers are values, never options.
struct ArgumentParser {
    /// Most arguments that are looked at; more is a mistake of a script.
    static let maximumCount = 100_000

    private let declaration: CommandDeclaration
    private var remaining: ArraySlice<String>
    private var values: [String: [String]] = [:]
    private var positionals: [String] = []

    static func parse(
        _ arguments: some Sequence<String>, for declaration: CommandDeclaration
    ) throws(UsageError) -> ParsedArguments {
        var parser = ArgumentParser(declaration, Array(arguments)[...])
        return try parser.run()
    }

    private init(_ declaration: CommandDeclaration, _ arguments: ArraySlice<String>) {
        self.declaration = declaration
        remaining = arguments
    }

    private mutating func run() throws(UsageError) -> ParsedArguments {
        guard remaining.count <= Self.maximumCount else {
            throw UsageError("more than \(Self.maximumCount) arguments")
        }
        while let argument = remaining.popFirst() {
            if argument == "--" {
                positionals += remaining
                break
            }
            try take(argument)
        }
        if values["help"] != nil {
            return ParsedArguments(declaration: declaration, values: values, positionals: [:])
        }
        try checkRequired()
        return ParsedArguments(
            declaration: declaration, values: values, positionals: try assignPositionals())
    }

    private mutating func take(_ argument: String) throws(UsageError) {
        if argument.hasPrefix("--") {
            try takeLong(argument)
        } else if argument.hasPrefix("-"), argument.count > 1, !Self.isNegativeNumber(argument) {
            try takeShort(argument)
        } else {
            positionals.append(argument)
        }
    }

    private mutating func takeLong(_ argument: String) throws(UsageError) {
        let parts = argument.dropFirst(2).split(
            separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map(String.init) ?? ""
        guard let option = declaration.option(named: name) else {
            throw UsageError("unknown option --\(name)\(suggestion(for: name))")
        }
        try set(option, shown: "--\(name)", attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func takeShort(_ argument: String) throws(UsageError) {
        let letters = argument.dropFirst()
        guard let letter = letters.first, letters.count == 1,
            let option = declaration.option(short: letter)
        else {
            throw UsageError("unknown option \(argument)\(suggestion(for: String(letters)))")
        }
        try set(option, shown: argument, attached: nil)
    }

    private mutating func set(
        _ option: CommandOption, shown: String, attached: String?
    ) throws(UsageError) {
        if let given = values[option.name], !given.isEmpty, !option.isRepeatable {
            throw UsageError("\(shown) is given twice")
        }
        guard let valueName = option.valueName else {
            if attached != nil { throw UsageError("\(shown) takes no value") }
            values[option.name, default: []].append("")
            return
        }
        let value: String
        if let attached { value = attached } else { value = try nextValue(shown, valueName) }
        try Self.check(value, isOneOf: option.allowedValues, shown: shown)
        values[option.name, default: []].append(value)
    }

    /// The next argument, unless it looks like a long option: that is a forgotten value.
    private mutating func nextValue(
        _ shown: String, _ valueName: String
    ) throws(UsageError) -> String {
        guard let next = remaining.first, !next.hasPrefix("--") else {
            throw UsageError("\(shown) needs a value: \(shown) \(valueName)")
        }
        remaining.removeFirst()
        return next
    }

    private func checkRequired() throws(UsageError) {
        for option in declaration.options where option.isRequired && values[option.name] == nil {
            throw UsageError(
                "--\(option.name) is required: --\(option.name) \(option.valueName ?? "")")
        }
        for (index, positional) in declaration.positionals.enumerated()
        where positional.isRequired && index >= positionals.count {
            throw UsageError("\(positional.name) is missing: \(positional.summary)")
        }
    }

    private func assignPositionals() throws(UsageError) -> [String: [String]] {
        var assigned: [String: [String]] = [:]
        var rest = positionals[...]
        for positional in declaration.positionals {
            let taken = positional.takesMany ? rest : rest.prefix(1)
            rest = rest.dropFirst(taken.count)
            for value in taken {
                try Self.check(value, isOneOf: positional.allowedValues, shown: positional.name)
            }
            assigned[positional.name] = Array(taken)
        }
        if let extra = rest.first { throw UsageError("unexpected argument '\(extra)'") }
        return assigned
    }

    private static func check(
        _ value: String, isOneOf allowed: [String]?, shown: String
    ) throws(UsageError) {
        guard let allowed, !allowed.contains(value) else { return }
        let list = allowed.joined(separator: ", ")
        let guess = Spelling.suggestion(for: value, among: allowed)
        throw UsageError("\(shown): '\(value)' is not one of \(list)\(guess)")
    }

    private func suggestion(for name: String) -> String {
        Spelling.suggestion(
            for: name, among: declaration.allOptions.map(\.name), prefix: "--")
    }

    private static func isNegativeNumber(_ argument: String) -> Bool {
        let second = argument.utf8.dropFirst().first ?? 0
        return second == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= second
    }
}
