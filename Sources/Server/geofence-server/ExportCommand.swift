import CommandLineTool
import ReferenceServer

/// Writes all fences as GeoJSON.
struct ExportCommand: Command {
    static let declaration = CommandDeclaration(
        "export", summary: "write all fences as GeoJSON to standard output",
        example: "export --database server.db > branches.geojson",
        options: [StoreAccess.database, StoreAccess.workspace])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let store = try StoreAccess.open(arguments.string("database"))
        let workspace = try StoreAccess.workspace(arguments.string("workspace"), in: store)
        try console.output.bytes(FenceImport.export(from: workspace.id, of: store))
        try console.output.text("\n")
        return .success
    }
}
