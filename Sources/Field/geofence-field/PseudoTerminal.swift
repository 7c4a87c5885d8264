import Glibc

/// The device end of a simulated serial port: its listener opens the pty's other side by a link.
///
/// Nothing here waits. The port behaves as a UART does: without a listener, and when the listener
/// does not read, bytes are lost.
final class PseudoTerminal {
    /// Path of the side that the listener opens, "/dev/pts/7".
    let path: String
    private let descriptor: Int32

    /// A new pty in raw mode at a speed. Throws with the system's words.
    init(baud: LineSpeed) throws(PortError) {
        var listener: Int32 = -1
        var device: Int32 = -1
        guard openpty(&device, &listener, nil, nil, nil) == 0 else { throw .last("openpty") }
        descriptor = device
        defer { close(listener) }
        var name = [CChar](repeating: 0, count: 64)
        guard ttyname_r(listener, &name, name.count) == 0 else {
            path = ""
            throw .last("ttyname_r")
        }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        var settings = termios()
        guard tcgetattr(listener, &settings) == 0 else { throw .last("tcgetattr \(path)") }
        // Raw, else the line discipline would echo the sentences back and change CR to LF.
        cfmakeraw(&settings)
        cfsetspeed(&settings, baud.code)
        guard tcsetattr(listener, TCSANOW, &settings) == 0 else {
            throw .last("tcsetattr \(path)")
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(descriptor)
    }

    /// Whether somebody has the other side open.
    var hasListener: Bool {
        var state = [pollfd(fd: descriptor, events: 0, revents: 0)]
        return poll(&state, 1, 0) >= 0 && state[0].revents & Int16(POLLHUP) == 0
    }

    /// The speed that the listener has set; nil where the system does not say.
    var listenerSpeed: speed_t? {
        var settings = termios()
        // Asked on the device's side, Linux answers for the listener's.
        return tcgetattr(descriptor, &settings) == 0 ? cfgetospeed(&settings) : nil
    }

    /// Sends what the listener's side can take, and gives the number of bytes it took.
    func send(_ bytes: ArraySlice<UInt8>) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 || errno != EINTR {
                break
            }
        }
        return bytes.count - rest.count
    }

    /// Takes away what the listener has written; a receiver does as it pleases with it.
    func discardInput() {
        var buffer = [UInt8](repeating: 0, count: 1024)
        for _ in 0..<16 where read(descriptor, &buffer, buffer.count) < buffer.count { return }
    }

    /// Forgets what the last listener left unread, as a serial driver does at its last close.
    ///
    /// False where the side cannot be opened for it: held exclusively, or taken by a new listener.
    func discardUnread() -> Bool {
        let side = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard side >= 0 else { return false }
        defer { close(side) }
        return tcflush(side, TCIFLUSH) == 0
    }
}
