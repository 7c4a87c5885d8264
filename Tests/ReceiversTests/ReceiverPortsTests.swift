import Foundation
import TestSupport
import Testing

@testable import Receivers

@Suite("Receiver ports")
struct ReceiverPortsTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
        try FileManager.default.createDirectory(
            atPath: folder.file("dev/serial/by-id"), withIntermediateDirectories: true)
    }

    private func make(_ names: String...) throws {
        for name in names {
            try Data().write(to: URL(fileURLWithPath: folder.file("dev/\(name)")))
        }
    }

    private func link(_ name: String, to target: String) {
        unlink(folder.file("dev/\(name)"))
        symlink(folder.file("dev/\(target)"), folder.file("dev/\(name)"))
    }

    @Test("auto tries the udev link, known names by id, then the serial ports of a Pi, in turn")
    func looksAround() throws {
        var ports = ReceiverPorts(configured: nil, root: folder.path)
        #expect(ports.current == nil)
        try make("ttyACM0", "ttyUSB0", "ttyUSB1", "ttyAMA0")
        link("serial0", to: "ttyAMA0")
        link("serial/by-id/usb-u-blox_7-if00", to: "ttyACM0")
        link("serial/by-id/usb-Silicon_Labs_CP2102-port0", to: "ttyUSB0")
        link("serial/by-id/usb-Quectel_modem-if01", to: "ttyUSB1")
        var tried: [String] = []
        for _ in 0..<4 {
            tried.append(ports.current ?? "none")
            ports.skip()
        }
        let names = tried.map { $0.dropFirst(folder.path.count + 5) }
        #expect(
            names == [
                "serial/by-id/usb-Silicon_Labs_CP2102-port0", "serial/by-id/usb-u-blox_7-if00",
                "serial0", "serial/by-id/usb-Silicon_Labs_CP2102-port0",
            ])
        link("gnss-receiver", to: "ttyACM0")
        var again = ReceiverPorts(configured: nil, root: folder.path)
        #expect(again.current == folder.file("dev/gnss-receiver"))
        again.skip()
        #expect(again.current == folder.file("dev/serial/by-id/usb-Silicon_Labs_CP2102-port0"))
    }

    @Test("a configured port is found again under its new name")
    func findsAgain() throws {
        try make("ttyUSB0")
        link("serial/by-id/usb-receiver", to: "ttyUSB0")
        let path = folder.file("dev/ttyUSB0")
        var ports = ReceiverPorts(configured: path, root: folder.path)
        #expect(ports.current == path)
        ports.noteOpened(path)
        let stable = folder.file("dev/serial/by-id/usb-receiver")
        #expect(ports.stableName(of: path) == stable)
        unlink(path)
        #expect(ports.current == path)
        try make("ttyUSB1")
        link("serial/by-id/usb-receiver", to: "ttyUSB1")
        #expect(ports.current == stable)
        ports.skip()
        #expect(ports.current == stable)
    }
}
