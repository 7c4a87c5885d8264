import CLinux
import Glibc

/// A serial port, or what behaves like one, opened for reading alone: nothing is ever written to the
/// receiver.
public struct SerialLine: ~Copyable, Sendable {
    /// Speeds that can be set, in baud.
    public static let speeds = [
        4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 921_600,
    ]

    /// As it was opened.
    public let path: String
    /// The device itself, "/dev/ttyUSB1": what a symbolic link led to.
    public let devicePath: String
    /// Whether it has a speed. A GNSS character device and a FIFO have none.
    public let hasSpeed: Bool
    private let descriptor: FileDescriptor

    /// For poll(2) while this value lives.
    public var number: Int32 { descriptor.number }

    /// Opens and locks the port, and sets it to raw bytes at `baud`.
    public static func open(_ path: String, baud: Int) throws(SerialLineError) -> SerialLine {
        let descriptor: FileDescriptor
        do {
            // Without O_NONBLOCK opening waits for a modem's carrier.
            descriptor = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
        } catch {
            throw SerialLineError(error, holders: DescriptorHolder.processes(holding: path))
        }
        try refuseFiles(descriptor.number, path)
        try claim(descriptor.number, path)
        let hasSpeed: Bool
        if clinux_configure_serial(descriptor.number, Int32(clamping: baud)) == 0 {
            hasSpeed = true
        } else if isatty(descriptor.number) == 0 {
            hasSpeed = false
        } else {
            throw SerialLineError(.last("tcsetattr", path), holders: [])
        }
        return SerialLine(
            path: path, devicePath: RealPath.of(path) ?? path, hasSpeed: hasSpeed,
            descriptor: descriptor)
    }

    /// Changes the speed and forgets what was received at the old one.
    public func setSpeed(_ baud: Int) throws(SystemError) {
        guard clinux_configure_serial(number, Int32(clamping: baud)) == 0 else {
            throw .last("tcsetattr", path)
        }
        tcflush(number, TCIFLUSH)
    }

    /// Reads what has arrived: 0 is a hang-up, nil means nothing has.
    public func read(into buffer: inout [UInt8]) throws(SystemError) -> Int? {
        do throws(SystemError) {
            return try descriptor.read(into: &buffer)
        } catch {
            guard error.code == EAGAIN else { throw error }
            return nil
        }
    }

    /// A log is not a receiver: it would be read again and again, at full speed.
    private static func refuseFiles(_ number: Int32, _ path: String) throws(SerialLineError) {
        var status = stat()
        guard fstat(number, &status) == 0 else { throw SerialLineError(.last("fstat", path)) }
        let kind = status.st_mode & S_IFMT
        guard kind != S_IFREG, kind != S_IFDIR else { throw .notADevice(path: path) }
    }

    /// Locks out other readers. flock(2) is for those who ask; TIOCEXCL stops everyone but root. On a
    /// pseudo-terminal the latter would outlive this process, and stop the next one.
    private static func claim(_ number: Int32, _ path: String) throws(SerialLineError) {
        if flock(number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
            throw .busy(path: path, holders: DescriptorHolder.processes(holding: path))
        }
        guard isatty(number) == 1, !isPseudoTerminal(number) else { return }
        if clinux_terminal_is_exclusive(number) == 1 {
            let holders = DescriptorHolder.processes(holding: path)
            if !holders.isEmpty { throw .busy(path: path, holders: holders) }
        }
        _ = clinux_set_terminal_exclusive(number)
    }

    /// Majors 136 ... 143, "Unix98 PTY slaves" in the kernel's devices.txt.
    private static func isPseudoTerminal(_ number: Int32) -> Bool {
        var status = stat()
        guard fstat(number, &status) == 0 else { return false }
        return (136...143).contains((status.st_rdev >> 8) & 0xFFF)
    }
}
