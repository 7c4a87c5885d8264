import Glibc
import Simulation

/// A receiver's serial port that can be unplugged, comes back under another name, and sends noise
/// to a listener of the wrong speed.
final class SimulatedPort {
    private let speed: LineSpeed
    private let link: DeviceLink
    private let note: (String) -> Void
    private var terminal: PseudoTerminal
    private var isPlugged = true
    private var isHeard = false
    private var noise: SeededGenerator
    private var listenerSpeed: speed_t?
    /// Bytes that no listener took.
    private(set) var unheardCount = 0

    /// Makes the pty and its link; `note` takes one line for a person.
    init(
        link: DeviceLink, speed: LineSpeed, seed: UInt64, note: @escaping (String) -> Void
    ) throws(PortError) {
        self.link = link
        self.speed = speed
        self.note = note
        noise = SeededGenerator(seed: seed, stream: 32)
        terminal = try PseudoTerminal(baud: speed)
        // Until a listener has come and gone, Linux does not say that there is none.
        _ = terminal.discardUnread()
        try link.point(to: terminal.path)
    }

    /// The device that the link points to while it is plugged in.
    var path: String { terminal.path }

    /// Looks whether a listener has come or gone. True while there is one.
    func observe() throws(PortError) -> Bool {
        guard isPlugged else { return false }
        let hasListener = terminal.hasListener
        if hasListener != isHeard {
            isHeard = hasListener
            note(hasListener ? "\(path) was opened" : "\(path) was closed")
            listenerSpeed = nil
            if !hasListener, !terminal.discardUnread() { try renew() }
        }
        return hasListener
    }

    /// Sends bytes to the listener, if there is one; nobody ever waits.
    func send(_ bytes: [UInt8]) throws(PortError) {
        guard !bytes.isEmpty else { return }
        guard try observe() else {
            unheardCount += bytes.count
            return
        }
        terminal.discardInput()
        let isRight = isRightSpeed()
        let sent = isRight ? bytes : bytes.map { _ in UInt8(truncatingIfNeeded: noise.next()) }
        unheardCount += bytes.count - terminal.send(sent[...])
    }

    /// The listener reads a hang-up, and the link is gone.
    func unplug() throws(PortError) {
        guard isPlugged else { return }
        link.remove(ifPointingTo: path)
        note("\(path) is unplugged")
        // Made before the old one goes, the next pty has another number.
        terminal = try PseudoTerminal(baud: speed)
        isPlugged = false
        isHeard = false
    }

    /// The port is there again under another name, and the link points to it.
    func replug() throws(PortError) {
        guard !isPlugged else { return }
        isPlugged = true
        _ = terminal.discardUnread()
        try link.point(to: path)
        note("plugged in again as \(path)")
    }

    /// Removes the link.
    func close() {
        if isPlugged { link.remove(ifPointingTo: path) }
    }

    /// What the last listener left cannot be taken away: another pty takes the place.
    private func renew() throws(PortError) {
        terminal = try PseudoTerminal(baud: speed)
        _ = terminal.discardUnread()
        try link.point(to: path)
    }

    private func isRightSpeed() -> Bool {
        guard let current = terminal.listenerSpeed else { return true }
        if current != listenerSpeed {
            listenerSpeed = current
            let baud = LineSpeed.all.first { $0.code == current }.map { "\($0.baud)" } ?? "another"
            note(
                current == speed.code
                    ? "the listener set \(baud) baud"
                    : "the listener set \(baud) baud, it hears noise at \(speed.baud)")
        }
        return current == speed.code
    }
}
