import Foundation
import TestSupport
import Testing

/// `geofence-field replay` on what power cuts leave, and on what is no drive.
@Suite("geofence-field replay")
struct ReplayProgramTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private static let recording =
        #"{"k":"header","io":"in","m":0,"schema":"geofence.recording/1","rules":{}}"# + "\n"
        + #"{"k":"tick","io":"in","m":1000}"# + "\n"

    private func write(_ name: String, _ text: String) throws -> String {
        try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        return folder.file(name)
    }

    private func replay(_ arguments: [String]) throws -> (status: Int32?, errors: String) {
        let program = try BuiltProgram("geofence-field", ["replay"] + arguments, in: folder.path)
        return (program.end(within: 60), program.errors)
    }

    @Test("passes over parts of which a power cut left nothing or half a line", arguments: 0...3)
    func torn(good: Int) throws {
        let recordings = folder.file("recordings")
        try FileManager.default.createDirectory(
            atPath: recordings, withIntermediateDirectories: false)
        let torn = ["", #"{"k":"header","io":"i"#, "\0\0\0"]
        for number in 0...3 {
            let text = number == good ? Self.recording : torn[number % 3]
            _ = try write("recordings/00000\(number)-0001.rec.ndjson", text)
        }
        let (status, errors) = try replay([recordings])
        #expect(status == 0, "\(errors)")
        let notes = errors.split(separator: "\n").filter {
            $0.contains("torn before its first line")
        }
        #expect(notes.count == 3, "\(errors)")
        #expect(!errors.contains("00000\(good)-0001"))
    }

    @Test("of parts that are all torn proves nothing")
    func allTorn() throws {
        let (status, errors) = try replay([try write("a.rec.ndjson", "")])
        #expect(status == 6, "\(errors)")
    }
}
