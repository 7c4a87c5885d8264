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

    @Test(
        "of a file without an epoch and a record proves nothing, and the line names the file",
        arguments: [
            ("drive.nmea", ""), ("drive.nmea", "hello\n\n"), ("drive.csv", "time,lat,lon\n"),
        ])
    func empty(name: String, text: String) throws {
        let path = try write(name, text)
        let (status, errors) = try replay([path])
        #expect(status == 6, "\(errors)")
        #expect(errors.contains("inconclusive: \(path) holds no epoch and no record"), "\(errors)")
    }

    @Test("names a fence that a server would refuse, with pointer and place")
    func degraded() throws {
        let fences = try write(
            "fences.geojson",
            #"{"type":"Feature","id":"bow","properties":{},"geometry":{"type":"Polygon","coordinates":"#
                + #"[[[1,1],[1.1,1.3],[1.1,1],[1,1.1],[1,1]]]}}"#)
        let track = try write("drive.nmea", "$GPGGA,120000,0100,N,00100,E,1,08,1.0,0,M,0,M,,*44\n")
        let (_, errors) = try replay(["--fences", fences, track])
        let place = "\(fences): /geometry/coordinates/0/"
        #expect(errors.contains(place), "\(errors)")
        #expect(errors.contains("self_intersection of fence 'bow' at lon 1.0"), "\(errors)")
        #expect(errors.contains("geometryDegraded"), "\(errors)")
    }

    @Test("of parts that are all torn proves nothing")
    func allTorn() throws {
        let (status, errors) = try replay([try write("a.rec.ndjson", "")])
        #expect(status == 6, "\(errors)")
    }
}
