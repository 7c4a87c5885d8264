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
