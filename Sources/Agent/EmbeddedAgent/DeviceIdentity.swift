import Cryptography
import GeofenceAgent
import LinuxSystem

/// The device id where the configuration gives none.
enum DeviceIdentity {
    /// "d-" and 16 hex digits of a hash of the board's serial, else of the machine id: the same
    /// after every start, and not the number itself. Throws on a machine that has neither.
    static func make(
        _ settings: DeviceSettings, machine: MachineIdentity
    ) throws(StartError) -> String {
        if let id = settings.id { return id }
        guard let own = machine.deviceTreeSerial ?? machine.machineID else {
            throw StartError(
                .configuration,
                "device.id: this machine has neither a serial number nor a machine id; set one")
        }
        do {
            let digest = try SHA256.digest(of: "geofenced device \(own)".utf8)
            return "d-" + Hexadecimal.encode(digest.prefix(8))
        } catch {
            throw StartError(.environment, "device.id: \(error)")
        }
    }
}
