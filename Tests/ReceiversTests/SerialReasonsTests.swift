import Glibc
import LinuxSystem
import Positioning
import Testing

@testable import Receivers

@Suite("Serial reasons")
struct SerialReasonsTests {
    private func reasons(
        console: String = "", holders: [DescriptorHolder] = [], running: [DescriptorHolder] = []
    ) -> SerialReasons {
        SerialReasons(
            kernelCommandLine: console, holders: { _ in holders }, running: { _ in running })
    }

    @Test(
        "silence names what most probably causes it",
        arguments: [
            (
                "", [],
                "no bytes from /dev/ttyAMA0 for 12 s: check wiring and `console=` in cmdline.txt"
            ),
            (
                "quiet console=ttyAMA0,115200 console=tty1", [],
                "no bytes from /dev/ttyAMA0 for 12 s: the kernel's console uses it, "
                    + "remove console=ttyAMA0 from cmdline.txt"
            ),
            (
                "console=tty1", [DescriptorHolder(processID: 812, name: "gpsd")],
                "no bytes from /dev/ttyAMA0 for 12 s: gpsd (pid 812) reads from it too: stop it, "
                    + "or let gpsd own the receiver and set receiver.source to gpsd"
            ),
            (
                "console=serial0,115200", [],
                "no bytes from /dev/ttyAMA0 for 12 s: the kernel's console uses it, "
                    + "remove console=serial0 from cmdline.txt"
            ),
        ] as [(String, [DescriptorHolder], String)])
    func explainsSilence(console: String, holders: [DescriptorHolder], reason: String) {
        let health = reasons(console: console, holders: holders)
            .health(of: .silent(seconds: 12), device: "/dev/ttyAMA0", speed: 9600)
        #expect(health == SourceHealth(.noData, reason))
    }

    @Test("who may hold a port is named although its descriptors cannot be seen")
    func namesSuspects() {
        let modem = DescriptorHolder(processID: 7, name: "ModemManager")
        let busy = reasons(running: [modem]).health(of: .busy(path: "/dev/x", holders: []))
        #expect(
            busy.reason
                == "/dev/x is in use by another program, probably ModemManager (pid 7): keep it "
                + "off by ENV{ID_MM_DEVICE_IGNORE}=\"1\" in a udev rule, as ours has")
        let gpsd = DescriptorHolder(processID: 8, name: "gpsd")
        let noise = reasons(running: [gpsd])
            .health(of: .noise(allSpeedsTried: true), device: "/dev/x", speed: 9600)
        #expect(
            noise.reason
                == "bytes from /dev/x, but no NMEA at any speed: check wiring, and whether "
                + "gpsd (pid 8) reads from it too")
    }

    @Test("running programs are found by name")
    func findsPrograms() throws {
        let own = try #require(FileContents.line("/proc/self/comm"))
        let parent = try #require(FileContents.line("/proc/\(getppid())/comm"))
        #expect(
            DescriptorHolder.processes(named: [parent]).contains { $0.processID == getppid() })
        #expect(!DescriptorHolder.processes(named: [own]).contains { $0.processID == getpid() })
    }

    @Test(
        "every condition of a port has its state and its words",
        arguments: [
            (.opening, .opening, "waiting for the first sentences from /dev/x"),
            (
                .noise(allSpeedsTried: false), .wrongBaud,
                "bytes from /dev/x at 4800 baud, but no sentence: trying other speeds"
            ),
            (
                .noise(allSpeedsTried: true), .wrongBaud,
                "bytes from /dev/x, but no NMEA at any speed: "
                    + "check wiring and `console=` in cmdline.txt"
            ),
            (
                .binaryOnly, .noFix,
                "/dev/x sends a binary protocol only: let the receiver send NMEA, or use gpsd"
            ),
            (
                .noPositionSentences, .noFix,
                "/dev/x sends no RMC, GGA, GNS or GLL: switch them on in the receiver"
            ),
            (
                .noFix(hasTime: true, bestSignal: 28, satellitesInView: 5), .noFix,
                "searching, best 28 dB-Hz, 5 satellites in view"
            ),
            (
                .noFix(hasTime: false, bestSignal: nil, satellitesInView: 0), .noFix,
                "receiver talks, no time yet, 0 satellites in view, "
                    + "check the antenna and its view of the sky"
            ),
            (.fix, .fix, ""),
        ] as [(SerialWatch.Condition, SourceHealth.State, String)])
    func explainsConditions(
        condition: SerialWatch.Condition, state: SourceHealth.State, reason: String
    ) {
        #expect(
            reasons().health(of: condition, device: "/dev/x", speed: 4800)
                == SourceHealth(state, reason))
        #expect(condition.state == state)
    }

    @Test(
        "a port that does not open says what to do",
        arguments: [
            (
                .noDevice(path: "/dev/x"), .noDevice,
                "/dev/x does not exist: is the receiver plugged in?"
            ),
            (
                .permissionDenied(path: "/dev/x"), .permissionDenied,
                "no permission for /dev/x: add the user to the group dialout"
            ),
            (
                .busy(path: "/dev/x", holders: [DescriptorHolder(processID: 8, name: "gpsd")]),
                .portBusy,
                "/dev/x is in use by gpsd (pid 8): stop it, or let gpsd own the receiver and set "
                    + "receiver.source to gpsd"
            ),
            (
                .busy(path: "/dev/x", holders: []), .portBusy,
                "/dev/x is in use by another program: stop it, or let gpsd own the receiver and "
                    + "set receiver.source to gpsd"
            ),
            (
                .notADevice(path: "/a.log"), .noDevice,
                "/a.log is no device: for a log set receiver.source to file"
            ),
            (
                .failed(SystemError("tcsetattr", "/dev/x", code: 5)), .noDevice,
                "tcsetattr /dev/x: Input/output error"
            ),
        ] as [(SerialLineError, SourceHealth.State, String)])
    func explainsErrors(error: SerialLineError, state: SourceHealth.State, reason: String) {
        #expect(reasons().health(of: error) == SourceHealth(state, reason))
    }
}
