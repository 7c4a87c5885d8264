import Foundation
import TestSupport
import Testing
import Timekeeping

@testable import LinuxSystem

@Suite("Service manager and journal")
struct ServiceTests {
    let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    @Test(
        "messages arrive as one datagram, at a path or an abstract name", arguments: [false, true])
    func notifies(isAbstract: Bool) throws {
        let name = isAbstract ? "@geofenced-test-\(getpid())" : folder.file("notify")
        let manager = try DatagramSocket(name)
        let notifier = SystemdNotifier { $0 == "NOTIFY_SOCKET" ? name : nil }
        #expect(notifier.isActive)
        #expect(notifier.send(.ready, .status("18 fences\nall quiet")))
        #expect(manager.receive() == "READY=1\nSTATUS=18 fences all quiet")
        #expect(notifier.send(.reloading(monotonicMicroseconds: 7), .watchdog, .stopping))
        #expect(manager.receive() == "RELOADING=1\nMONOTONIC_USEC=7\nWATCHDOG=1\nSTOPPING=1")
        #expect(notifier.send(.extendTimeout(seconds: 90)))
        #expect(manager.receive() == "EXTEND_TIMEOUT_USEC=90000000")
    }

    @Test("without a service manager nothing fails", arguments: [nil, "", "/nowhere/notify"])
    func toleratesAbsence(name: String?) {
        let notifier = SystemdNotifier { $0 == "NOTIFY_SOCKET" ? name : nil }
        #expect(!notifier.send(.ready))
    }

    @Test("a manager that does not read never makes the service wait")
    func neverWaits() throws {
        let name = folder.file("full")
        let manager = try DatagramSocket(name)
        let notifier = SystemdNotifier { $0 == "NOTIFY_SOCKET" ? name : nil }
        let taken = (0..<10_000).prefix { _ in notifier.send(.watchdog) }.count
        #expect(taken > 0 && taken < 10_000)
        withExtendedLifetime(manager) {}
    }

    @Test(
        "the watchdog's interval counts only for this process",
        arguments: [
            ("60000000", nil, 60_000), ("60000000", "self", 60_000), ("60000000", "1", nil),
            ("0", nil, nil), ("999", nil, nil), ("-5", nil, nil), ("soon", nil, nil),
            (nil, nil, nil),
        ] as [(String?, String?, Int?)])
    func readsTheWatchdog(interval: String?, process: String?, milliseconds: Int?) {
        let notifier = SystemdNotifier { name in
            switch name {
            case "WATCHDOG_USEC": interval
            case "WATCHDOG_PID": process == "self" ? String(getpid()) : process
            default: nil
            }
        }
        #expect(notifier.watchdogMilliseconds == milliseconds)
    }

    @Test("the journal gets priorities, people get words", arguments: [true, false])
    func logs(isJournal: Bool) throws {
        let path = folder.file("log")
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        var status = stat()
        fstat(file, &status)
        let stream = isJournal ? "\(status.st_dev):\(status.st_ino)" : "1:2"
        let sink = JournalLogSink(threshold: .info, descriptor: file, journalStream: stream)
        sink.write(LogLine(.error, "cannot open the queue"))
        sink.write(LogLine(.debug, "not wanted"))
        sink.write(LogLine(.info, "two\nlines"))
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(
            text
                == (isJournal
                    ? "<3>cannot open the queue\n<6>two lines\n"
                    : "error: cannot open the queue\ninfo: two lines\n"))
    }

    @Test("a log line is cut to its limit")
    func cutsLines() throws {
        let path = folder.file("long")
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let sink = JournalLogSink(threshold: .debug, descriptor: file, journalStream: nil)
        sink.write(LogLine(.info, String(repeating: "x", count: 10_000)))
        let bytes = try FileContents.read(path, limit: 20_000)
        #expect(bytes.count == JournalLogSink.maximumLineBytes)
        #expect(bytes.last == 10)
    }

    @Test(
        "a machine is known by its board's serial and its id",
        arguments: [
            (
                "100000003d1d1c36\0", "0123456789abcdef0123456789abcdef\n", "100000003d1d1c36",
                "0123456789abcdef0123456789abcdef"
            ),
            ("0000000000000000\0", "uninitialized\n", nil, nil), (nil, "", nil, nil),
        ] as [(String?, String?, String?, String?)])
    func identifies(serial: String?, id: String?, foundSerial: String?, foundID: String?) throws {
        let base = folder.file("sys/firmware/devicetree/base")
        for path in [base, folder.file("etc")] {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true)
        }
        if let serial {
            try FileContents.replace("\(base)/serial-number", with: Array(serial.utf8))
        }
        if let id { try FileContents.replace(folder.file("etc/machine-id"), with: Array(id.utf8)) }
        let identity = MachineIdentity(root: folder.path)
        #expect(identity.deviceTreeSerial == foundSerial)
        #expect(identity.machineID == foundID)
    }
}

/// The service manager's end of NOTIFY_SOCKET.
private final class DatagramSocket {
    private let number: Int32

    init(_ name: String) throws {
        number = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let address = try #require(UnixAddress(name))
        let bound = address.withSocketAddress { bind(number, $0, $1) }
        try #require(bound == 0)
    }

    func receive() -> String {
        var buffer = [UInt8](repeating: 0, count: 1000)
        let count = recv(number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }

    deinit {
        close(number)
    }
}
