/// Names one boot of the machine: 32 hex digits of `/proc/sys/kernel/random/boot_id`, hyphens removed.
public struct BootID: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}
