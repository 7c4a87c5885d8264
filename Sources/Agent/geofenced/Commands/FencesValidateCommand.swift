import CommandLineTool
import WireFormat

/// `geofenced fences validate`: what is wrong with a file, and where; needs no agent.
enum FencesValidateCommand: Command {
    static let declaration = CommandDeclaration(
        "fences validate", summary: "check a file of fences",
        example: "fences validate fences.geojson",
        discussion: "Exits with 1 where a fence could not be monitored. Nothing is changed.",
        positionals: [CommandPositional("FILE", "GeoJSON with fences")],
        options: [.flag("json", "one JSON object, schema geofenced.fences.validation/1")])

    private struct Report: Encodable {
        var schema = "geofenced.fences.validation/1"
        var valid: Bool
        var fences: Int
        var errors: [Problem.Defect]
        var warnings: [String]
    }

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let input = try FenceInput(file: arguments.string("FILE") ?? "")
        let defects = input.defects
        if arguments.flag("json") {
            let report = Report(
                valid: defects.isEmpty, fences: input.fences.count, errors: defects,
                warnings: input.warnings)
            try console.print(String(decoding: try WireCoding.encode(report), as: UTF8.self))
        } else {
            for defect in defects { try console.print("error \(input.line(defect))") }
            for warning in input.warnings { try console.print("warning \(warning)") }
            if defects.isEmpty { try console.print("\(input.fences.count) fences, no errors") }
        }
        return defects.isEmpty ? .success : .failure
    }
}
