import Foundation
import TestSupport
import Testing

@Suite("The import table of docs/architecture.md")
struct ImportTests {
    let tree: SourceTree
    let table: ImportTable

    init() throws {
        tree = try SourceTree()
        let path = SharedFolder.projectRoot + "/docs/architecture.md"
        table = ImportTable(markdown: try String(contentsOfFile: path, encoding: .utf8))
    }

    @Test("every file imports only what the row of its target names")
    func imports() {
        let programs = Set(tree.files.filter { $0.path.hasSuffix("/main.swift") }.map(\.target))
        for file in tree.files {
            let isProgram = programs.contains(file.target)
            guard let allowed = table.allowed(for: file.target, isProgram: isProgram) else {
                continue
            }
            let excess = file.imports.filter { !allowed.contains($0) }
            #expect(excess.isEmpty, "\(file.path) imports \(excess.joined(separator: ", "))")
        }
    }

    @Test("the server knows its store by the port alone: SQLite is the adapter's affair")
    func storePort() {
        let files = tree.files.filter { $0.target == "ReferenceServer" }
        let adapter = files.filter { $0.path.contains("/SQLiteStore/") }
        #expect(adapter.contains { $0.imports.contains("SQLite") })
        for file in files where !file.path.contains("/SQLiteStore/") {
            #expect(!file.text.contains("SQLite"), "\(file.path)")
        }
    }

    @Test("every target has a row, and every row a target, in the same group")
    func rows() throws {
        let directories = try FileManager.default.subpathsOfDirectory(
            atPath: SharedFolder.projectRoot + "/Sources"
        ).map { $0.split(separator: "/").map(String.init) }.filter { $0.count == 2 }
        let targets = Set(directories.map { "\($0[0])/\($0[1])" })
        #expect(targets == Set(table.rows.map { "\($0.group)/\($0.target)" }))
    }

    @Test("the table is read: it allows what it names and nothing else")
    func reading() {
        let table = ImportTable(
            markdown: """
                | group | target | one line | imports |
                |---|---|---|---|
                | Core | A | first | - |
                | Core | B | second | A, Glibc |
                | Field | C | third | Core |
                | Adapters | E | fourth | - |
                """)
        #expect(table.allowed(for: "A") == ["Synchronization"])
        #expect(table.allowed(for: "B") == ["Synchronization", "A", "Glibc"])
        #expect(table.allowed(for: "C") == ["Synchronization", "A", "B"])
        #expect(table.allowed(for: "D") == nil)
        let system: Set = ["Synchronization", "Glibc", "Dispatch"]
        #expect(table.allowed(for: "E") == system)
        #expect(table.allowed(for: "A", isProgram: true) == system)
    }
}
