import CLinux
import Glibc

/// One input line of a GPIO chip (linux/gpio.h, version 2 of the interface, Linux 5.10), which tells
/// both edges and costs nothing in between.
public final class GPIOLine: Sendable {
    private let descriptor: SharedDescriptor
    private let loop: PollLoop
    private let name: String

    /// Asks the kernel for a line of `/dev/CHIP`. `changed` runs on the loop's thread after an edge.
    ///
    /// Throws EBUSY where another program has the line, EINVAL for a line that the chip lacks,
    /// ENOTTY for a device that is no GPIO chip.
    public init(
        chip: String, line: Int, on loop: PollLoop, changed: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let path = "/dev/\(chip)"
        name = "\(path) line \(line)"
        guard let offset = UInt32(exactly: line) else {
            throw SystemError("open", name, code: EINVAL)
        }
        let made: Int32
        do {
            let device = try FileDescriptor.open(path, O_RDWR | O_NONBLOCK)
            made = clinux_open_gpio_line(device.number, offset)
        }
        guard made >= 0 else { throw .last("GPIO_V2_GET_LINE_IOCTL", name) }
        let descriptor = SharedDescriptor(owning: made)
        self.descriptor = descriptor
        self.loop = loop
        let isWatched = loop.watch(made, for: Int16(POLLIN)) { _ in
            // Which edges they were does not matter: the level is read.
            var edges = [UInt8](repeating: 0, count: 1024)
            _ = read(descriptor.number, &edges, edges.count)
            changed()
        }
        guard isWatched else { throw SystemError("watch", name, code: EMFILE) }
    }

    deinit {
        loop.forget(descriptor.number)
    }

    /// Whether the line is high now.
    public func isHigh() throws(SystemError) -> Bool {
        let level = clinux_gpio_level(descriptor.number)
        guard level >= 0 else { throw .last("GPIO_V2_LINE_GET_VALUES_IOCTL", name) }
        return level == 1
    }
}
