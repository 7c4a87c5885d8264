import Foundation

/// A serial port opened as an agent opens it: raw, at a speed, never waiting.
final class PortReader {
    private let descriptor: Int32

    /// Nil where it cannot be opened.
    init?(_ path: String, speed: speed_t) {
        descriptor = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        var settings = termios()
        guard descriptor >= 0, tcgetattr(descriptor, &settings) == 0 else { return nil }
        cfmakeraw(&settings)
        cfsetspeed(&settings, speed)
        guard tcsetattr(descriptor, TCSANOW, &settings) == 0 else { return nil }
    }

    deinit { close(descriptor) }

    /// What arrives within a time, and whether the line hung up meanwhile.
    func read(for seconds: Double) -> (bytes: [UInt8], hungUp: Bool) {
        var bytes: [UInt8] = []
        let deadline = Date(timeIntervalSinceNow: seconds)
        while case let left = deadline.timeIntervalSinceNow, left > 0 {
            var state = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&state, 1, Int32(left * 1000) + 1) > 0 else { continue }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
            } else if count == 0 || errno != EAGAIN {
                return (bytes, true)
            }
        }
        return (bytes, false)
    }
}
