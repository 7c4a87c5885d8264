/// The arguments of one command, checked against its declaration.
///
/// Asking for a name that the declaration does not have is a mistake of the program and stops it.
public struct ParsedArguments: Sendable {
    private let declaration: CommandDeclaration
    private let values: [String: [String]]
    private let positionals: [String: [String]]

    init(
        declaration: CommandDeclaration, values: [String: [String]],
        positionals: [String: [String]]
    ) {
        self.declaration = declaration
        self.values = values
        self.positionals = positionals
    }

    /// Whether a flag was given.
    public func flag(_ name: String) -> Bool {
        precondition(declaration.option(named: name)?.valueName == nil, "--\(name) is no flag")
        return !given(name).isEmpty
    }

    /// The value of an option or positional; nil when it was not given.
    public func string(_ name: String) -> String? { given(name).last }

    /// All values of a repeatable option or positional, in order.
    public func strings(_ name: String) -> [String] { given(name) }

    /// A whole number in decimal digits; nil when not given. Throws outside `range`.
    public func int(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = string(name) else { return nil }
        guard let number = Int(text), !text.hasPrefix("+") else {
            throw UsageError("\(shown(name)): '\(text)' is not a whole number")
        }
        guard range.contains(number) else {
            throw outOfRange(name, text, "\(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    /// A decimal number; nil when not given. Throws outside `range`, for NaN, infinity and hexadecimal.
    public func double(
        _ name: String, in range: ClosedRange<Double>
    ) throws(UsageError) -> Double? {
        guard let text = string(name) else { return nil }
        guard text.utf8.allSatisfy(Self.isDecimal), let number = Double(text) else {
            throw UsageError("\(shown(name)): '\(text)' is not a number")
        }
        guard range.contains(number) else {
            throw outOfRange(name, text, "\(range.lowerBound)...\(range.upperBound)")
        }
        return number
    }

    var wantsHelp: Bool { flag("help") }
    var color: ColorChoice { string("color").flatMap(ColorChoice.init) ?? .auto }

    private func given(_ name: String) -> [String] {
        if let found = positionals[name] { return found }
        precondition(
            declaration.option(named: name) != nil, "'\(declaration.path)' declares no \(name)")
        return values[name] ?? []
    }

    private func shown(_ name: String) -> String { positionals[name] == nil ? "--\(name)" : name }

    private func outOfRange(_ name: String, _ text: String, _ range: String) -> UsageError {
        UsageError("\(shown(name)): \(text) is out of range, allowed \(range)")
    }

    /// `Double(String)` also takes "nan", "inf" and hexadecimal; none of these letters pass.
    private static func isDecimal(_ character: UInt8) -> Bool {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
