import Cryptography
import Delivery
import Timekeeping

/// The names of events and visits: UUIDs of version 8 (RFC 9562 section 5.8) whose bits are those
/// of a SHA-256, so that the same event has the same name wherever it is computed.
enum EventIdentity {
    /// The name of the event at `position`, made in the boot `bootID` of `deviceID`.
    static func event(
        deviceID: String, position: QueuePosition, bootID: BootID
    ) throws(CryptographyError) -> UUIDBytes {
        try UUIDBytes(
            hashing: [deviceID, position.epoch, bootID.text, String(position.sequence)])
    }

    /// The name of the visit of a fence that the event `enterEventID` began.
    static func visit(
        deviceID: String, fenceID: String, enterEventID: UUIDBytes
    ) throws(CryptographyError) -> UUIDBytes {
        try UUIDBytes(hashing: [deviceID, fenceID, enterEventID.text])
    }
}

/// 16 bytes that are written as a UUID.
struct UUIDBytes: Hashable, Sendable {
    let bytes: [UInt8]

    /// Nil unless there are 16.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        self.bytes = bytes
    }

    /// Nil unless the text is a UUID with hyphens.
    init?(text: String) {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12],
            let bytes = Hexadecimal.decode(groups.joined())
        else { return nil }
        self.init(bytes)
    }

    /// Version 8 of the fields' SHA-256. A line feed separates the fields: neither a device id nor
    /// what is hashed beside it can hold one.
    init(hashing fields: [String]) throws(CryptographyError) {
        var digest = Array(
            try SHA256.digest(of: Array(fields.joined(separator: "\n").utf8)).prefix(Self.count))
        digest[6] = digest[6] & 0x0f | 0x80
        digest[8] = digest[8] & 0x3f | 0x80
        bytes = digest
    }

    private static let count = 16

    /// Lower case with hyphens.
    var text: String {
        let digits = Hexadecimal.encode(bytes)
        var result = ""
        for (offset, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(offset) { result.append("-") }
            result.append(digit)
        }
        return result
    }
}
