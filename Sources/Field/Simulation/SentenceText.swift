import Timekeeping

/// One NMEA 0183 sentence being written; `closed` adds the checksum and the line's end.
struct SentenceText {
    private(set) var bytes: [UInt8]

    /// Talker and type, "GNRMC".
    init(_ tag: String) {
        bytes = [UInt8(ascii: "$")] + Array(tag.utf8)
    }

    /// The whole sentence with checksum (XOR of all between $ and *) and CR LF.
    var closed: [UInt8] {
        let sum = bytes.dropFirst().reduce(UInt8(0), ^)
        let digits = Array("0123456789ABCDEF".utf8)
        return bytes
            + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
    }

    /// A field as it is; empty where nothing is known.
    mutating func field(_ text: String = "") {
        bytes.append(UInt8(ascii: ","))
        bytes += Array(text.utf8)
    }

    /// A field with a fixed number of decimals.
    mutating func field(_ value: Double, decimals: Int) {
        bytes.append(UInt8(ascii: ","))
        bytes.append(decimal: value, decimals: decimals)
    }

    /// A whole number, zero-padded.
    mutating func field(_ value: Int, digits: Int) {
        bytes.append(UInt8(ascii: ","))
        bytes.append(whole: UInt64(max(0, value)), digits: digits)
    }

    /// hhmmss.ss
    mutating func time(_ time: UTCTime) {
        let centiseconds = UInt64(max(0, time.millisecondsOfDay / 10))
        bytes.append(UInt8(ascii: ","))
        bytes.append(whole: centiseconds / 360_000, digits: 2)
        bytes.append(whole: centiseconds / 6000 % 60, digits: 2)
        bytes.append(whole: centiseconds / 100 % 60, digits: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(whole: centiseconds % 100, digits: 2)
    }

    /// ddmm.mmmmmmm and its hemisphere, two fields; 7 decimals of a minute are 0.2 mm.
    mutating func angle(_ degrees: Double, degreeDigits: Int, positive: String, negative: String) {
        let units = UInt64((degrees.magnitude * 60e7).rounded())
        bytes.append(UInt8(ascii: ","))
        bytes.append(whole: units / 600_000_000, digits: degreeDigits)
        bytes.append(whole: units % 600_000_000 / 10_000_000, digits: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.append(whole: units % 10_000_000, digits: 7)
        field(degrees < 0 ? negative : positive)
    }
}

extension [UInt8] {
    /// Appends a number with a fixed number of decimals, rounded to the nearest.
    mutating func append(decimal value: Double, decimals: Int) {
        var scale: UInt64 = 1
        for _ in 0..<decimals { scale *= 10 }
        let units = UInt64((Swift.min(value.magnitude, 1e9) * Double(scale)).rounded())
        if value < 0, units > 0 { append(UInt8(ascii: "-")) }
        append(whole: units / scale, digits: 1)
        guard decimals > 0 else { return }
        append(UInt8(ascii: "."))
        append(whole: units % scale, digits: decimals)
    }

    /// Appends a whole number of at least so many digits, zero-padded.
    mutating func append(whole value: UInt64, digits: Int) {
        let text = String(value)
        for _ in 0..<Swift.max(0, digits - text.utf8.count) { append(UInt8(ascii: "0")) }
        append(contentsOf: text.utf8)
    }
}
