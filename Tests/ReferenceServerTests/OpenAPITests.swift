import TestSupport
import Testing

@testable import ReferenceServer

@Suite("docs/openapi.yaml")
struct OpenAPITests {
    @Test("it names exactly the paths and methods that the server has")
    func routes() throws {
        let bytes = try #require(
            SharedFolder.readFile("\(SharedFolder.projectRoot)/docs/openapi.yaml"))
        let documented = Self.operations(in: String(decoding: bytes, as: UTF8.self))
        let served = Set(
            ReferenceServer.allRoutes.flatMap { route in
                route.endpoints.keys.map { "\($0) \(route.path)" }
            })
        #expect(documented.subtracting(served).isEmpty, "documented, but not served")
        #expect(served.subtracting(documented).isEmpty, "served, but not documented")
        #expect(served.count > 20)
    }

    /// "GET /v1/config", from the two levels of `paths:` that name them.
    private static func operations(in text: String) -> Set<String> {
        let methods: Set<Substring> = ["get", "put", "post", "delete", "patch"]
        var result: Set<String> = []
        var path: Substring = ""
        for line in text.split(separator: "\n") {
            if line.hasPrefix("  /"), line.hasSuffix(":") { path = line.dropFirst(2).dropLast() }
            guard line.hasPrefix("    "), line.dropFirst(4).first != " ", line.hasSuffix(":")
            else { continue }
            let method = line.dropFirst(4).dropLast()
            if methods.contains(method) { result.insert("\(method.uppercased()) \(path)") }
        }
        return result
    }
}
