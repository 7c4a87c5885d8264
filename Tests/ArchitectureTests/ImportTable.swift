import Foundation

/// The table of targets in docs/architecture.md.
struct ImportTable {
    struct Row {
        var group: String
        var target: String
        var imports: Set<String>
    }

    var rows: [Row]

    /// Reads the rows `| group | target | one line | imports |` of a Markdown text.
    init(markdown: String) {
        rows = markdown.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { cell in
                cell.trimmingCharacters(in: .whitespaces)
            }
            guard cells.count == 6, Self.groups.contains(cells[1]) else { return nil }
            let imports = cells[4].split(separator: ",").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            return Row(group: cells[1], target: cells[2], imports: Set(imports))
        }
    }

    /// Everything that a target may import, groups expanded; nil for a target without a row.
    func allowed(for target: String, isProgram: Bool = false) -> Set<String>? {
        guard let row = rows.first(where: { $0.target == target }) else { return nil }
        var result: Set<String> = ["Synchronization"]
        if row.group == "Adapters" || isProgram {
            result.formUnion(["Glibc", "Dispatch"])
        }
        for name in row.imports where name != "-" {
            if Self.groups.contains(name) {
                result.formUnion(rows.filter { $0.group == name }.map(\.target))
            } else {
                result.insert(name)
            }
        }
        result.remove(target)
        return result
    }

    private static let groups: Set<String> = [
        "CLibraries", "Core", "Adapters", "Agent", "Server", "Field",
    ]
}
