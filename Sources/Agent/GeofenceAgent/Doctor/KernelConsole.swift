/// Whether the kernel's console is on the receiver's port: it then talks into the receiver, and a
/// login prompt reads from it.
public enum KernelConsole {
    /// `commandLine` is /proc/cmdline, `device` the port without links, and `resolve` follows a link:
    /// on a Raspberry Pi serial0 is either of two ports.
    public static func facts(
        commandLine: String, device: String, resolve: (String) -> String?
    ) -> DoctorFacts.Console {
        for argument in commandLine.split(separator: " ") where argument.hasPrefix("console=") {
            let name = argument.dropFirst("console=".count).prefix { $0 != "," }
            guard !name.isEmpty else { continue }
            let path = "/dev/\(name)"
            if path == device || resolve(path) == device {
                return .onPort(argument: String(argument))
            }
        }
        return .elsewhere
    }
}
