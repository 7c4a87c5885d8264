import CommandLineTool
import Geofencing
import WireFormat

/// `geofenced fences add`: fences of this device, beside those of the server.
enum FencesAddCommand: Command {
    static let declaration = CommandDeclaration(
        "fences add", summary: "add fences on this device, or replace them",
        example: "fences add --id yard --circle 52.52,13.405,150 --on enter,exit",
        discussion: """
            From a GeoJSON file, or one circle. They are kept over restarts and whatever the server
            sends, compete with its fences for being monitored, and are 20 at most. An id that was
            added before is replaced; the id of another fence is refused. Needs root or the group
            geofenced-admin.
            """,
        positionals: [CommandPositional("FILE", "GeoJSON with fences", .optional)],
        options: [
            ConfigurationLoading.option,
            .value("circle", "LAT,LON,RADIUS", "a circle, degrees and metres"),
            .value("id", "ID", "the circle's id"),
            .value("name", "NAME", "the circle's name"),
            .value("on", "KINDS", "what becomes an event", default: "enter,exit"),
            .value("dwell", "SECONDS", "time inside until dwell, which makes a visit"),
            .flag("json", "one JSON object, schema geofenced.fences.change/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        var input = try input(arguments)
        input.apply(
            on: try arguments.string("on").map(FenceInput.kinds),
            dwellSeconds: try arguments.double("dwell", in: 1...604_800))
        let defects = input.defects
        guard defects.isEmpty else {
            throw CommandFailure(defects.map { input.line($0) }.joined(separator: "\n"))
        }
        return try FenceChangeCall.run(adding: input, arguments, console)
    }

    private static func input(_ arguments: ParsedArguments) throws -> FenceInput {
        switch (arguments.string("FILE"), arguments.string("circle")) {
        case (let file?, nil):
            guard arguments.string("id") == nil, arguments.string("name") == nil else {
                throw UsageError("--id and --name go with --circle")
            }
            return try FenceInput(file: file)
        case (nil, let circle?):
            guard let id = arguments.string("id") else { throw UsageError("--circle needs --id") }
            return try FenceInput(circle: circle, id: id, name: arguments.string("name"))
        default: throw UsageError("give either a FILE or --circle")
        }
    }
}
