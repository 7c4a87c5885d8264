import Foundation
import TestSupport
import Testing

@Suite("The table of rules and tests")
struct RuleTableTests {
    @Test(
        "names tests and scripts that exist",
        arguments: ["docs/positioning-tests.md", "docs/delivery-tests.md"])
    func names(table: String) throws {
        let root = URL(fileURLWithPath: SharedFolder.projectRoot)
        let text = try String(
            contentsOf: root.appendingPathComponent(table), encoding: .utf8)
        let named = text.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
            .filter { $0.hasSuffix("Tests") || $0.hasPrefix("scripts/") }
        #expect(named.count > 30)
        let paths = try FileManager.default.subpathsOfDirectory(
            atPath: root.appendingPathComponent("Tests").path)
        let tests = Set(paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        for name in named {
            if name.hasPrefix("scripts/") {
                let path = root.appendingPathComponent(name).path
                #expect(FileManager.default.isExecutableFile(atPath: path), "\(name)")
            } else {
                #expect(tests.contains("\(name).swift"), "\(name)")
            }
        }
    }
}
