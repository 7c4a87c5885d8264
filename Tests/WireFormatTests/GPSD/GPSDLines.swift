import Positioning
import Timekeeping
import WireFormat

/// Lines as gpsd writes them, and what a decoder makes of them.
enum GPSDLines {
    static let start = UTCTime(rfc3339: "2026-03-01T12:00:00Z")?.millisecondsSince1970 ?? 0

    /// A TPV of a receiver that drives east; further members replace or add to the usual ones.
    static func position(
        _ second: Double, mode: Int = 3, device: String? = "/dev/ttyACM0", place: String? = nil,
        time: Bool = true, _ more: String = ""
    ) -> String {
        let stamp = UTCTime(millisecondsSince1970: start + Int64(second * 1000)).rfc3339
        let members = [
            #""class":"TPV""#, device.map { #""device":"\#($0)""# }, #""mode":\#(mode)"#,
            time ? #""time":"\#(stamp)""# : nil,
            place ?? #""lat":52.5,"lon":\#(13.4 + second * 0.0001)"#, more.isEmpty ? nil : more,
        ]
        return "{" + members.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ",")
            + "}\r\n"
    }

    static func sky(_ hdop: Double, device: String = "/dev/ttyACM0") -> String {
        #"{"class":"SKY","device":"\#(device)","hdop":\#(hdop),"nSat":3,"uSat":2,"satellites":["#
            + #"{"PRN":2,"el":82.0,"ss":47.0,"used":true},{"PRN":12,"ss":45.6,"used":true},"#
            + #"{"PRN":24,"used":false}]}"# + "\r\n"
    }

    static func errors(_ second: Double, _ latitude: Double, _ longitude: Double) -> String {
        let stamp = UTCTime(millisecondsSince1970: start + Int64(second * 1000)).rfc3339
        return #"{"class":"GST","device":"/dev/ttyACM0","time":"\#(stamp)","rms":2.5,"#
            + #""lat":\#(latitude),"lon":\#(longitude),"alt":4.0}"# + "\r\n"
    }

    /// All epochs of a log.
    static func decode(_ text: String) -> (fixes: [Fix], counters: GPSDCounters) {
        var decoder = GPSDDecoder(configuration: .init(isFile: true))
        var fixes: [Fix] = []
        decoder.consume(Array(text.utf8)[...]) { fixes.append($0) }
        decoder.finish { fixes.append($0) }
        return (fixes, decoder.counters)
    }
}

/// A decoder that is fed line by line, as the agent does.
struct LiveGPSD {
    var decoder: GPSDDecoder
    private(set) var fixes: [Fix] = []

    init(_ configuration: GPSDDecoder.Configuration = .init()) {
        decoder = GPSDDecoder(configuration: configuration)
    }

    mutating func send(_ text: String, at milliseconds: Int64) {
        idle(until: milliseconds)
        decoder.consume(Array(text.utf8)[...], at: Uptime(milliseconds: milliseconds)) {
            fixes.append($0)
        }
    }

    mutating func idle(until milliseconds: Int64) {
        let now = Uptime(milliseconds: milliseconds)
        guard let due = decoder.idleDeadline, due <= now else { return }
        decoder.idle(at: due) { fixes.append($0) }
    }
}
