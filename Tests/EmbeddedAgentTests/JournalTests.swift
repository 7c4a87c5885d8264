import ConfigurationFile
import Foundation
import GeofenceAgent
import TestSupport
import Testing

@testable import EmbeddedAgent

/// What a start is refused with goes to the journal, which holds no coordinate.
@Suite("No coordinate in the journal")
struct JournalTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func refusal(_ yaml: String) throws -> String? {
        do {
            let configuration = try ConfigurationFile(Array(yaml.utf8), name: "t.yaml")
                .decode(AgentConfiguration.self).value
            let agent = EmbeddedAgent(
                configuration: configuration, log: LogCollector(), service: ServiceProbe())
            try agent.check()
            return nil
        } catch {
            return "\(error)"
        }
    }

    // Not in the table: Swift 6.0.3 crashes on an interpolation among the arguments of a macro.
    private static let ring = "[17.31,48.27],[17.32,48.29],[17.32,48.27],[17.31,48.28]"
    private static let crossing = #"{"type":"Polygon","coordinates":[[\#(ring),[17.31,48.27]]]}"#
    private static let open = #"{"type":"Polygon","coordinates":[[\#(ring)]]}"#

    @Test(
        "a fence of fences_file that is refused is named by file, pointer, id, name and defect",
        arguments: [
            (
                crossing, "/features/0/geometry/coordinates/0/",
                "self_intersection of fence 'x' (Gate)"
            ),
            (
                open, "/features/0/geometry/coordinates/0/3", "unclosed of fence 'x' (Gate)"
            ),
            (
                #"{"type":"Point","coordinates":[17.31,148.27]}"#,
                "/features/0/geometry/coordinates", "not on Earth"
            ),
            (
                #"{"type":"Point","coordinates":[17.31,"48.27"]}"#,
                "/features/0/geometry/coordinates/1", "not a number"
            ),
            (
                #"{"type":"Point","coordinates":[17.31,48.27e999]}"#,
                "", "not"
            ),
            (#"{"type":"Point","coordinates":[17.31 48.27]}"#, "", "not JSON: line 1"),
        ] as [(String, String, String)])
    func fencesFile(geometry: String, pointer: String, kind: String) throws {
        let file = folder.file("fences.geojson")
        try
            (#"{"type":"FeatureCollection","features":[{"type":"Feature","id":"x","geometry":"#
            + geometry + #","properties":{"name":"Gate","radius_m":80}}]}"#)
            .write(toFile: file, atomically: true, encoding: .utf8)
        let text = try #require(
            try refusal("fences_file: '\(file)'\nstate_directory: '\(folder.path)'"))
        #expect(text.hasPrefix("fences_file \(file): \(pointer)"), "\(text)")
        #expect(text.contains(kind), "\(text)")
        #expect(!text.contains("17.3") && !text.contains("48.2"), "\(text)")
    }

    @Test(
        "a position that is refused is named by line, column and key",
        arguments: [
            ("{ lat: 148.27, lon: 17.31 }", "t.yaml:1:18: position.lat: expected degrees"),
            ("{ lat: 48.27N, lon: 17.31E }", "t.yaml:1:18: position.lat: expected degrees"),
            ("{ lat: 48.27, lon: '17.31' }", "t.yaml:1:30: position.lon: expected degrees"),
            ("{ lat: 48.27, lon: [17.31] }", "t.yaml:1:30: position.lon: expected degrees"),
            ("48.27,17.31", "t.yaml:1:11: position: expected a group of the keys lat, lon"),
            ("[48.27, 17.31]", "t.yaml:1:11: position: expected a group of the keys lat, lon"),
            ("{ lat: 48.27 }", "position.lon: is missing"),
        ])
    func position(value: String, expected: String) throws {
        let text = try #require(try refusal("position: \(value)"))
        #expect(text.contains(expected), "\(text)")
        #expect(!text.contains("17.3") && !text.contains("48.2"), "\(text)")
    }
}
