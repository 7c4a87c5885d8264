import Foundation
import TestSupport
import Testing

@Suite("What the project ships")
struct ShippedFileTests {
    @Test(
        "the top level holds what the architecture names",
        arguments: [
            "Package.swift", "Sources", "Tests", "udev", "deploy", "docs", "scripts", "README.md",
            "LICENSE", ".swift-format", ".gitignore", ".ci/run", "scripts/quickstart",
            "scripts/test", "docs/architecture.md", "docs/decisions.md", "docs/configuration.md",
        ])
    func topLevel(entry: String) {
        let path = SharedFolder.projectRoot + "/" + entry
        #expect(FileManager.default.fileExists(atPath: path), "\(entry) is missing")
    }

    @Test(
        "no source promises work instead of doing it", arguments: try SourceTree().files.map(\.path)
    )
    func promises(path: String) throws {
        let text = try String(
            contentsOfFile: SharedFolder.projectRoot + "/" + path, encoding: .utf8)
        for word in ["TODO", "FIXME", "XXX", "fatalError(", "try!", "Placeholder"] {
            #expect(!text.contains(word), "\(path) contains \(word)")
        }
    }

    @Test("only programs have a main.swift, and it holds one line of code")
    func mains() throws {
        for file in try SourceTree().files where file.path.hasSuffix("/main.swift") {
            let code = file.text.split(separator: "\n").filter {
                !$0.hasPrefix("import ") && !$0.hasPrefix("//")
            }
            #expect(code.count == 1, "\(file.path) holds \(code.count) lines of code")
        }
    }
}
