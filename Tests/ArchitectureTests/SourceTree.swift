import Foundation
import TestSupport

/// The Swift files below `Sources` and what they import.
struct SourceTree {
    struct File {
        var target: String
        var group: String
        /// Relative to the project.
        var path: String
        var text: String

        var imports: [String] {
            text.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ").map(String.init)
                guard let index = words.firstIndex(of: "import"), index + 1 < words.count,
                    words[..<index].allSatisfy({ $0.hasPrefix("@") || $0 == "public" })
                else { return nil }
                let kinds: Set = ["struct", "class", "enum", "func", "var", "let", "protocol"]
                let name = kinds.contains(words[index + 1]) ? words.last : words[index + 1]
                return name?.split(separator: ".").first.map(String.init)
            }
        }
    }

    let files: [File]

    init() throws {
        let root = URL(fileURLWithPath: SharedFolder.projectRoot)
        let sources = root.appendingPathComponent("Sources")
        let paths = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        files = try paths.filter { $0.hasSuffix(".swift") }.sorted().map { path in
            let parts = path.split(separator: "/").map(String.init)
            return File(
                target: parts[1], group: parts[0], path: "Sources/" + path,
                text: try String(contentsOf: sources.appendingPathComponent(path), encoding: .utf8))
        }
    }
}
