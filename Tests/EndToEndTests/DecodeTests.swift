import Foundation
import TestSupport
import Testing

/// `geofence-field decode` as a process: its output, its pieces, its exit statuses.
@Suite("Decode")
struct DecodeTests {
    private let folder: TemporaryDirectory
    private let log: String
    private static let epochs = 4000

    init() throws {
        folder = try TemporaryDirectory()
        log = folder.file("drive.nmea")
        let lines = (0..<Self.epochs).map { index in
            let time = String(format: "%02d%02d%02d", index / 3600, index / 60 % 60, index % 60)
            let body = "GNGGA,\(time),4730.0000,N,01115.0000,E,1,08,1.0,500.0,M,40.0,M,,"
            return String(format: "$%@*%02X\r\n", body, body.utf8.reduce(UInt8(0), ^))
        }
        try lines.joined().write(toFile: log, atomically: true, encoding: .utf8)
    }

    /// Its exit status, output and errors.
    private func decode(_ arguments: String...) throws -> (Int32?, String, String) {
        let program = try BuiltProgram("geofence-field", ["decode"] + arguments, in: folder.path)
        let status = program.end(within: 60)
        return (status, String(decoding: program.output, as: UTF8.self), program.errors)
    }

    @Test("one line for each epoch, the same from pieces of any size")
    func pieces() throws {
        let (status, output, errors) = try decode(log)
        #expect(status == 0)
        #expect(errors.isEmpty)
        #expect(output.split(separator: "\n").count == Self.epochs)
        for size in ["1", "7", "64", "16777216"] {
            #expect(try decode("--chunk", size, log).1 == output, "pieces of \(size)")
        }
    }

    @Test("the counters come last")
    func counters() throws {
        let lines = try decode("--counters", log).1.split(separator: "\n")
        #expect(lines.count == Self.epochs + 1)
        #expect(lines.last?.hasPrefix(#"{"counters":{"accepted":4000,"rejected":0,"#) == true)
    }

    @Test("what cannot be read is an error that names the file and the reason")
    func unreadable() throws {
        let missing = try decode(folder.file("missing"))
        #expect(missing.0 == 1)
        #expect(missing.2.contains("missing: No such file or directory"))
        let directory = try decode(folder.path)
        #expect(directory.0 == 1)
        #expect(directory.2.contains("Is a directory"))
    }

    @Test(
        "a wrong command line is exit status 2",
        arguments: [
            [], ["--chunk", "0", "x"], ["--chunk", "x"], ["--nonsense", "x"], ["x", "y"],
        ])
    func usage(arguments: [String]) throws {
        let program = try BuiltProgram("geofence-field", ["decode"] + arguments, in: folder.path)
        #expect(program.end(within: 60) == 2)
        #expect(!program.errors.isEmpty)
        #expect(program.output.isEmpty)
    }

    @Test("standard input is read, and a reader that goes away is no error")
    func pipes() throws {
        let path = try #require(BuiltProgram.path(of: "geofence-field"))
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/bash")
        shell.arguments = [
            "-c", #""$0" decode - < "$1" | head -n 1; echo "${PIPESTATUS[0]}""#, path, log,
        ]
        shell.standardOutput = output
        try shell.run()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        shell.waitUntilExit()
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        #expect(lines.first?.contains(#""lat":47.5,"lon":11.25"#) == true)
        #expect(lines.last == "0")
    }
}
