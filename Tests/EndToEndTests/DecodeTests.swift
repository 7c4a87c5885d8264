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

    @Test("gpsd JSON has the counters of gpsd's decoder")
    func gpsdCounters() throws {
        let file = folder.file("counted.json")
        let lines = [
            #"{"class":"VERSION","release":"3.22"}"#,
            #"{"class":"TPV","mode":3,"time":"2024-03-01T12:00:00.000Z","lat":47.5,"lon":11.25}"#,
            #"{"class":"TPV","mode":3,"time":"2024-03-01T12:00:01.000Z"}"#,
            #"{"class":"SKY","hdop":1.1}"#,
        ]
        try Data((lines.joined(separator: "\n") + "\n").utf8)
            .write(to: URL(fileURLWithPath: file))
        let last = try #require(try decode("--counters", file).1.split(separator: "\n").last)
        #expect(
            last.hasPrefix(#"{"counters":{"accepted":3,"rejected":1,"epochs":2,"fixes":1,"#),
            "\(last)")
        #expect(last.contains(#""tpv":2"#) && last.contains(#""position_missing":1"#), "\(last)")
    }

    @Test("a log without sentences says nothing of accepted ones")
    func trackCounters() throws {
        let file = folder.file("counted.csv")
        let text = "time,lat,lon\n2026-01-01T00:00:00Z,48,11\n2026-01-01T00:00:01Z,48,11\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let last = try decode("--counters", file).1.split(separator: "\n").last
        #expect(last == #"{"counters":{"epochs":2,"fixes":2,"bytes":67}}"#)
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

    /// A small file of each form, each with three epochs at 47.5 N.
    private static let samples: [String: String] = [
        "nmea": """
        $GPGGA,120000,4730.0,N,01115.0,E,1,08,1.0,500.0,M,40.0,M,,*4D
        $GPGGA,120001,4730.0,N,01115.0,E,1,08,1.0,500.0,M,40.0,M,,*4C
        $GPRMC,120002,A,4730.0,N,01115.0,E,1.0,90.0,010324,,,A*49

        """,
        "android": """
        NMEA,$GPGGA,120000,4730.0,N,01115.0,E,1,08,1.0,500.0,M,40.0,M,,*4D,1709294400000
        NMEA,$GPGGA,120001,4730.0,N,01115.0,E,1,08,1.0,500.0,M,40.0,M,,*4C,1709294401000
        NMEA,$GPRMC,120002,A,4730.0,N,01115.0,E,1.0,90.0,010324,,,A*49,1709294402000

        """,
        "gpsd": """
        {"class":"VERSION","release":"3.22"}
        {"class":"TPV","mode":3,"time":"2024-03-01T12:00:00.000Z","lat":47.5,"lon":11.25}
        {"class":"TPV","mode":3,"time":"2024-03-01T12:00:01.000Z","lat":47.5,"lon":11.25}
        {"class":"TPV","mode":3,"time":"2024-03-01T12:00:02.000Z","lat":47.5,"lon":11.25}

        """,
        "csv": """
        time,lat,lon
        2024-03-01T12:00:00Z,47.5,11.25
        2024-03-01T12:00:01Z,47.5,11.25
        2024-03-01T12:00:02Z,47.5,11.25

        """,
        "gpx": """
        <?xml version="1.0"?><gpx version="1.1" creator="test"><trk><trkseg>
        <trkpt lat="47.5" lon="11.25"><time>2024-03-01T12:00:00Z</time></trkpt>
        <trkpt lat="47.5" lon="11.25"><time>2024-03-01T12:00:01Z</time></trkpt>
        <trkpt lat="47.5" lon="11.25"><time>2024-03-01T12:00:02Z</time></trkpt>
        </trkseg></trk></gpx>

        """,
        "recording": """
        {"k":"header","io":"in","m":0,"schema":"geofence.recording/1"}
        {"k":"fix","io":"in","m":0,"time":"2024-03-01T12:00:00.000Z","lat":47.5,"lon":11.25,"dimension":"3d","quality":"autonomous"}
        {"k":"fix","io":"in","m":1000,"time":"2024-03-01T12:00:01.000Z","lat":47.5,"lon":11.25,"dimension":"3d","quality":"autonomous"}
        {"k":"raw","io":"in","m":2000,"s":"$GPRMC,120002,A,4730.0,N,01115.0,E,1.0,90.0,010324,,,A*49\\r\\n"}

        """,
    ]

    @Test(
        "every form gives the same as UTF-16, gzipped and in pieces",
        arguments: samples.keys.sorted()
    )
    func everyForm(name: String) throws {
        let text = try #require(Self.samples[name])
        let file = folder.file(name)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        let plain = try decode("--counters", file)
        #expect(plain.0 == 0, "\(plain.2)")
        let lines = plain.1.split(separator: "\n")
        #expect(lines.filter { $0.contains("\"lat\":47.5,\"lon\":11.25") }.count == 3)
        #expect(lines.last?.contains("\"epochs\":3,\"fixes\":3") == true)
        #expect(lines.dropLast().last?.contains("2024-03-01T12:00:02.000Z") == true)
        let epochs = try decode(file).1
        #expect(try decode("--chunk", "1", file).1 == epochs)
        for (mark, encoding) in [
            ([0xFF, 0xFE] as [UInt8], String.Encoding.utf16LittleEndian),
            ([0xFE, 0xFF], .utf16BigEndian),
        ] {
            let wide = Data(mark) + (try #require(text.data(using: encoding)))
            try wide.write(to: URL(fileURLWithPath: file))
            #expect(try decode(file).1 == epochs)
            #expect(try decode("--chunk", "1", file).1 == epochs)
        }
        let zip = Process()
        zip.executableURL = URL(fileURLWithPath: "/bin/gzip")
        zip.arguments = [file]
        try zip.run()
        zip.waitUntilExit()
        #expect(try decode(file + ".gz").1 == epochs)
        #expect(try decode("--chunk", "7", file + ".gz").1 == epochs)
    }

    @Test("the first epochs get their day by name or from the first date, never both")
    func days() throws {
        let file = folder.file("late-date")
        try Data(try #require(Self.samples["nmea"]).utf8).write(to: URL(fileURLWithPath: file))
        func times(_ arguments: String...) throws -> [Substring] {
            let program = try BuiltProgram(
                "geofence-field", ["decode"] + arguments + [file], in: folder.path)
            #expect(program.end(within: 60) == 0)
            return String(decoding: program.output, as: UTF8.self).split(separator: "\n")
                .map { $0.prefix(35) }
        }
        #expect(try times().first?.hasPrefix("{\"time\":null") == true)
        #expect(try times("--back-fill").first?.contains("2024-03-01T12:00:00") == true)
        #expect(try times("--date", "2020-02-29").first?.contains("2020-02-29T12:00:00") == true)
        for wrong in [
            ["--date", "2020-02-30"], ["--date", "29.2.2020"],
            ["--date", "2020-02-29", "--back-fill"],
        ] {
            let program = try BuiltProgram(
                "geofence-field", ["decode"] + wrong + [file], in: folder.path)
            #expect(program.end(within: 60) == 2)
        }
    }
}
