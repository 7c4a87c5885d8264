import Glibc

/// A speed that a serial port can be set to.
struct LineSpeed: Sendable {
    let baud: Int
    /// The constant of termios(3).
    let code: speed_t

    static let all: [LineSpeed] = [
        LineSpeed(baud: 4800, code: speed_t(B4800)), LineSpeed(baud: 9600, code: speed_t(B9600)),
        LineSpeed(baud: 19200, code: speed_t(B19200)),
        LineSpeed(baud: 38400, code: speed_t(B38400)),
        LineSpeed(baud: 57600, code: speed_t(B57600)),
        LineSpeed(baud: 115_200, code: speed_t(B115200)),
        LineSpeed(baud: 230_400, code: speed_t(B230400)),
        LineSpeed(baud: 460_800, code: speed_t(B460800)),
        LineSpeed(baud: 921_600, code: speed_t(B921600)),
    ]
}
