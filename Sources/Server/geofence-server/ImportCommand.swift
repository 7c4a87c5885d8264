import CommandLineTool
import LinuxSystem
import ReferenceServer

/// Reads fences from GeoJSON, beside a running server or without one.
struct ImportCommand: Command {
    static let declaration = CommandDeclaration(
        "import", summary: "read fences from a GeoJSON file",
        example: "import --database server.db branches.geojson",
        discussion: """
            Fences of the same id are replaced, the others stay; with --replace they are deleted. \
            Nothing is changed when one fence of the file is refused. The server may be running.
            """,
        positionals: [CommandPositional("FILE", "a GeoJSON FeatureCollection")],
        options: [
            StoreAccess.database, StoreAccess.workspace,
            .flag("replace", "delete the fences that are not in the file"), .json,
        ])

    /// Bytes of the file.
    static let sizeLimit = 268_435_456

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        let path = arguments.string("FILE") ?? ""
        let bytes = try FileContents.read(path, limit: sizeLimit, orPipe: true)
        let report: FenceImport.Report
        do {
            report = try FenceImport.run(
                bytes, replacingAll: arguments.flag("replace"), into: workspace.id, of: store,
                now: SystemTimekeeper().wallClock.time)
        } catch let error as FenceImport.Refusal {
            throw CommandFailure(error.defects.map { "\(path): \($0)" }.joined(separator: "\n"))
        }
        try store.checkpoint()
        for warning in report.warnings { console.note("warning: \(warning)") }
        if arguments.flag("json") {
            try console.print(String(decoding: report.json, as: UTF8.self))
        } else {
            let changes = report.changes
            try console.print(
                "\(changes.created.count) created, \(changes.updated.count) updated, "
                    + "\(changes.unchanged.count) unchanged, \(changes.deleted.count) deleted, "
                    + "\(changes.total) in all")
        }
        return .success
    }
}
