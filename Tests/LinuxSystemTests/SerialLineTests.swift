import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite("Serial line")
struct SerialLineTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func readAll(_ line: borrowing SerialLine, count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        for _ in 0..<1000 where bytes.count < count {
            if let read = try line.read(into: &buffer) {
                bytes += buffer[..<read]
            } else {
                usleep(1000)
            }
        }
        return bytes
    }

    @Test("every byte arrives as it was sent: nothing is interrupted, stopped or translated")
    func isRaw() throws {
        let terminal = try PseudoTerminal()
        let line = try SerialLine.open(terminal.path, baud: 9600)
        let hasSpeed = line.hasSpeed
        #expect(hasSpeed)
        let bytes = Array(UInt8.min...UInt8.max) + Array("$GPRMC\r\r\n\u{3}\u{13}\u{1A}".utf8)
        terminal.send(bytes)
        let received = try readAll(line, count: bytes.count)
        #expect(received == bytes)
        #expect(terminal.receive(milliseconds: 50).isEmpty, "something was echoed to the receiver")
    }

    @Test("an idle line gives nothing, a pulled plug gives a hang-up")
    func tellsHangUps() throws {
        let terminal = try PseudoTerminal()
        let line = try SerialLine.open(terminal.path, baud: 9600)
        var buffer = [UInt8](repeating: 0, count: 10)
        let idle = try line.read(into: &buffer)
        #expect(idle == nil)
        terminal.unplug()
        var descriptors = [pollfd(fd: line.number, events: Int16(POLLIN), revents: 0)]
        #expect(poll(&descriptors, 1, 10_000) == 1)
        #expect(descriptors[0].revents & Int16(POLLHUP) != 0)
        do {
            let count = try line.read(into: &buffer)
            #expect(count == 0)
        } catch {
            #expect(error.code == EIO)
        }
    }

    @Test("every speed is set and read back", arguments: SerialLine.speeds)
    func setsSpeeds(baud: Int) throws {
        let terminal = try PseudoTerminal()
        let line = try SerialLine.open(terminal.path, baud: 4800)
        #expect(terminal.baud == 4800)
        try line.setSpeed(baud)
        #expect(terminal.baud == baud)
    }

    @Test("a speed that no receiver uses is refused", arguments: [0, -1, 1234, 110, Int.max])
    func refusesOtherSpeeds(baud: Int) throws {
        let terminal = try PseudoTerminal()
        let line = try SerialLine.open(terminal.path, baud: 4800)
        do {
            try line.setSpeed(baud)
            Issue.record("\(baud) baud were set")
        } catch {
            #expect(error == SystemError("tcsetattr", terminal.path, code: EINVAL))
        }
    }

    @Test("a FIFO has no speed and works all the same")
    func readsAFIFO() throws {
        let path = folder.file("fifo")
        try #require(mkfifo(path, 0o600) == 0)
        let line = try SerialLine.open(path, baud: 9600)
        let hasSpeed = line.hasSpeed
        #expect(!hasSpeed)
        let writer = open(path, O_WRONLY | O_NONBLOCK)
        try #require(writer >= 0)
        defer { close(writer) }
        write(writer, "abc", 3)
        let received = try readAll(line, count: 3)
        #expect(received == Array("abc".utf8))
    }

    @Test("a second reader is turned away, and told by whom when another process has it")
    func locks() throws {
        let terminal = try PseudoTerminal()
        do {
            let first = try SerialLine.open(terminal.path, baud: 9600)
            #expect(throws: SerialLineError.busy(path: terminal.path, holders: [])) {
                _ = try SerialLine.open(terminal.path, baud: 9600).number
            }
            withExtendedLifetime(first.number) {}
        }
        _ = try SerialLine.open(terminal.path, baud: 9600).number
    }

    @Test(
        "the holder of a busy port is named",
        .enabled(if: access("/usr/bin/flock", X_OK) == 0, "needs flock(1)"))
    func namesTheHolder() throws {
        let terminal = try PseudoTerminal()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["--no-fork", terminal.path, "/bin/sleep", "60"]
        try process.run()
        defer {
            // The pool's threads block SIGTERM, and a child inherits that.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
        for _ in 0..<1000 {
            if DescriptorHolder.processes(holding: terminal.path).map(\.name) == ["sleep"] { break }
            usleep(10_000)
        }
        do {
            _ = try SerialLine.open(terminal.path, baud: 9600).number
            Issue.record("the port was opened although another process holds its lock")
        } catch {
            guard case .busy(_, let holders) = error else { throw error }
            #expect(holders.map(\.name) == ["sleep"])
            #expect(holders.contains { $0.processID == process.processIdentifier })
            #expect("\(error)".contains("in use by "))
        }
    }

    @Test("what is no device is refused by its kind")
    func refusesOtherFiles() throws {
        try FileContents.replace(folder.file("log"), with: [1])
        for path in [folder.file("log"), folder.path] {
            #expect(throws: SerialLineError.notADevice(path: path)) {
                _ = try SerialLine.open(path, baud: 9600).number
            }
        }
        let absent = folder.file("ttyUSB0")
        #expect(throws: SerialLineError.noDevice(path: absent)) {
            _ = try SerialLine.open(absent, baud: 9600).number
        }
    }

    @Test("a device's stable name is the link that leads to it, by id before by path")
    func findsStableNames() throws {
        let terminal = try PseudoTerminal()
        let root = folder.path
        for kind in ["by-path", "by-id"] {
            #expect(
                StableDevicePath.of(terminal.path, root: root)
                    == (kind == "by-id" ? "\(root)/dev/serial/by-path/receiver" : nil))
            let links = "\(root)/dev/serial/\(kind)"
            try FileManager.default.createDirectory(
                atPath: links, withIntermediateDirectories: true)
            symlink("/dev/null", "\(links)/other")
            symlink(terminal.path, "\(links)/receiver")
        }
        let stable = "\(root)/dev/serial/by-id/receiver"
        #expect(StableDevicePath.of(terminal.path, root: root) == stable)
        #expect(StableDevicePath.of("\(root)/absent", root: root) == nil)
        let line = try SerialLine.open(stable, baud: 9600)
        let paths = [line.path, line.devicePath]
        #expect(paths == [stable, terminal.path])
    }
}
