/// What tells this machine from any other; hash it before it leaves the machine.
public struct MachineIdentity: Hashable, Sendable {
    /// The board's serial number from the device tree; nil on a machine without one, such as a PC.
    public var deviceTreeSerial: String?
    /// `/etc/machine-id`: made at installation, and the same on every copy of a card.
    public var machineID: String?

    /// Reads both; `root` stands before every path, for tests.
    public init(root: String = "") {
        let base = "\(root)/sys/firmware/devicetree/base"
        let serial = FileContents.line("\(base)/serial-number")
        // Boards without a serial in their fuses show zeros.
        deviceTreeSerial = serial.flatMap { $0.allSatisfy { $0 == "0" } ? nil : $0 }
        machineID = FileContents.line("\(root)/etc/machine-id")
            .flatMap { $0 == "uninitialized" ? nil : $0 }
    }
}
