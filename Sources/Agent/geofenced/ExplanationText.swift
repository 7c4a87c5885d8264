import CommandLineTool
import GeofenceAgent
import WireFormat

/// A report that says itself in sentences.
protocol WordyReport: Decodable {
    var words: [String] { get }
}

extension EventReport: WordyReport {}
extension FenceReport: WordyReport {}

/// The answer to `explain` and `fences explain`.
enum ExplanationText {
    /// The line as it came with `--json`, else its sentences.
    static func print<Report: WordyReport>(
        _ line: [UInt8], of type: Report.Type, _ arguments: ParsedArguments, _ console: Console
    ) throws -> ExitCode {
        if arguments.flag("json") {
            try console.print(String(decoding: line, as: UTF8.self))
        } else {
            for words in try WireCoding.decode(type, from: line).words {
                try console.print(words)
            }
        }
        return .success
    }
}
