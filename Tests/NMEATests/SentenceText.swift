import NMEA
import Positioning
import Timekeeping

/// A line with its checksum: what stands between `$` and `*`.
func line(_ body: String) -> String {
    let parity = body.utf8.reduce(UInt8(0), ^)
    let digits = String(parity, radix: 16, uppercase: true)
    return "$\(body)*\(digits.count == 1 ? "0" : "")\(digits)\r\n"
}

func lines(_ bodies: [String]) -> [UInt8] { bodies.flatMap { Array(line($0).utf8) } }

/// What a decoder made of a log.
struct Decoded: Equatable {
    var fixes: [Fix] = []
    var counters = NMEACounters()

    /// RFC 3339, or "-" for an epoch without a time.
    var times: [String] { fixes.map { $0.time?.rfc3339 ?? "-" } }
}

/// Decodes a log that is given in pieces.
func decode(
    pieces: [ArraySlice<UInt8>], configuration: NMEADecoder.Configuration = .init(isFile: true)
) -> Decoded {
    var decoder = NMEADecoder(configuration: configuration)
    var result = Decoded()
    for piece in pieces {
        decoder.consume(piece, at: Uptime(milliseconds: 0)) { result.fixes.append($0) }
    }
    decoder.finish { result.fixes.append($0) }
    result.counters = decoder.counters
    return result
}

func decode(_ bytes: [UInt8]) -> Decoded { decode(pieces: [bytes[...]]) }

func decode(_ bodies: String...) -> Decoded { decode(lines(bodies)) }

/// Sentences of a good epoch at 47.5 N 11.25 E.
enum Sample {
    static func rmc(
        _ time: String, status: String = "A", date: String = "110321", rest: String = ",,A"
    ) -> String {
        "GNRMC,\(time),\(status),4730.0000,N,01115.0000,E,10.0,90.0,\(date)\(rest)"
    }

    static func gga(_ time: String, quality: String = "1", talker: String = "GN") -> String {
        "\(talker)GGA,\(time),4730.0000,N,01115.0000,E,\(quality),08,1.0,500.0,M,40.0,M,,"
    }

    static func gsa(mode: Int, satellites: String = "01,02,03,04,,,,,,,,", system: String = "")
        -> String
    {
        "GNGSA,A,\(mode),\(satellites),1.5,1.0,1.2\(system)"
    }
}
