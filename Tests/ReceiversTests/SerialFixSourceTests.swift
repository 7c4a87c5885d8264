import Foundation
import LinuxSystem
import Positioning
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import Receivers

@Suite("Serial source")
struct SerialFixSourceTests {
    let folder: TemporaryDirectory
    let delivery = Delivery()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func source(
        _ path: String, baud: Int? = nil, lastGood: [String: Int] = [:], hurry: Int64 = 1,
        rememberBaud: @escaping @Sendable (String, Int) -> Void = { _, _ in }
    ) -> SerialFixSource {
        SerialFixSource(
            SerialFixSource.Configuration(path: path, baud: baud, lastGoodBaud: lastGood),
            timekeeper: HurriedTimekeeper(factor: hurry), rememberBaud: rememberBaud)
    }

    @Test("sentences become fixes with the uptime of their bytes, which are delivered too")
    func delivers() throws {
        let terminal = try PseudoTerminal()
        let clock = SystemTimekeeper()
        let source = SerialFixSource(
            SerialFixSource.Configuration(path: terminal.path), timekeeper: clock)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.openings == 1 })
        let sent = (0..<5).map(SampleSentences.epoch).joined()
        let before = clock.uptime
        terminal.send(sent)
        #expect(delivery.eventually { $0.fixes.count == 5 })
        let after = clock.uptime
        source.stop()
        #expect(delivery.raw == Array(sent.utf8))
        #expect(delivery.fixes.allSatisfy { (before...after).contains($0.uptime) })
        let fix = try #require(delivery.fixes.first)
        #expect(abs((fix.coordinate?.latitude ?? 0) - 52.5) < 1e-9)
        #expect(fix.source == .nmea && fix.quality == .autonomous)
        #expect(delivery.has(.fix))
        #expect(source.snapshot.openings == 1 && source.snapshot.devicePath == nil)
        #expect(source.snapshot.counters.accepted == 10)
    }

    @Test("the last epoch before a pause is delivered in the pause, not with the next one")
    func closesEpochsInThePause() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path)
        source.start(deliver: delivery.deliver)
        terminal.send(SampleSentences.epoch(1))
        #expect(delivery.eventually(seconds: 10) { $0.fixes.count == 1 })
        source.stop()
    }

    @Test("a receiver unplugged in mid-sentence is used again under its new name")
    func survivesReplugging() throws {
        let link = folder.file("gnss-receiver")
        let first = try PseudoTerminal()
        symlink(first.path, link)
        let source = source(link)
        source.start(deliver: delivery.deliver)
        first.send(SampleSentences.epoch(1) + SampleSentences.epoch(2))
        #expect(delivery.eventually { $0.fixes.count >= 1 })
        first.send(Array(SampleSentences.epoch(3).utf8.dropLast(20)))
        #expect(delivery.eventually { $0.raw.count > 250 })
        // A new device before the old one is gone, so that it cannot have the same name.
        let second = try PseudoTerminal()
        unlink(link)
        first.unplug()
        #expect(delivery.eventually { $0.has(.noDevice) })
        #expect(delivery.eventually { _ in source.snapshot.devicePath == nil })
        symlink(second.path, link)
        #expect(delivery.eventually { $0.openings == 2 })
        #expect(source.snapshot.devicePath == second.path)
        let fixesBefore = delivery.fixes.count
        second.send(SampleSentences.epoch(10) + SampleSentences.epoch(11))
        #expect(delivery.eventually { $0.fixes.count > fixesBefore })
        source.stop()
        #expect(source.snapshot.hangUps == 1)
        // The torn sentence gave no position of its own, and joined no other.
        let times = delivery.fixes.compactMap(\.time?.millisecondsOfDay)
        #expect(times == times.sorted() && Set(times).count == times.count)
        let reasons = delivery.health.filter { $0.state == .noDevice }.map(\.reason)
        #expect(reasons.contains("\(link) hung up: was the receiver unplugged?"))
    }

    @Test(
        "noise at the wrong speed leads to the right one, which is remembered",
        arguments: [
            (38_400, [9600]), (115_200, [9600, 38_400]),
        ])
    func huntsForTheSpeed(baud: Int, wrong: [Int]) throws {
        let terminal = try PseudoTerminal()
        let remembered = Mutex<[String: Int]>([:])
        let source = source(terminal.path, hurry: 5) { name, baud in
            remembered.withLock { $0[name] = baud }
        }
        source.start(deliver: delivery.deliver)
        let receiver = try SimulatedReceiver(on: terminal, baud: baud)
        #expect(delivery.eventually { $0.has(.fix) })
        #expect(terminal.baud == baud)
        #expect(source.snapshot.baud == baud)
        #expect(delivery.eventually { _ in remembered.withLock { $0 } == [terminal.path: baud] })
        #expect(delivery.has(.wrongBaud))
        source.stop()

        let next = Delivery()
        let again = self.source(terminal.path, lastGood: remembered.withLock { $0 })
        again.start(deliver: next.deliver)
        #expect(next.eventually { $0.has(.fix) })
        #expect(!next.has(.wrongBaud))
        again.stop()
        receiver.end()
    }

    @Test("a receiver that changes its speed while it runs is found again")
    func followsTheSpeed() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path, baud: 115_200, hurry: 10)
        source.start(deliver: delivery.deliver)
        let fast = try SimulatedReceiver(on: terminal, baud: 115_200)
        #expect(delivery.eventually { $0.has(.fix) })
        fast.end()
        let count = delivery.fixes.count
        let slow = try SimulatedReceiver(on: terminal, baud: 9600)
        #expect(delivery.eventually { $0.fixes.count > count + 2 })
        #expect(source.snapshot.baud == 9600)
        source.stop()
        slow.end()
    }

    @Test("silence is told with a hint, and the port is opened again")
    func handlesSilence() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path, hurry: 20)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.openings >= 2 })
        #expect(delivery.has(.noData))
        #expect(delivery.eventually { $0.openings >= 3 })
        #expect(terminal.baud == 9600, "silence changed the speed")
        // Opening again is no news while the port stays silent.
        let states = delivery.health.map(\.state)
        #expect(states.first == .opening && states.dropFirst().allSatisfy { $0 == .noData })
        let reason = delivery.health.first { $0.state == .noData }?.reason ?? ""
        #expect(reason.hasPrefix("no bytes from \(terminal.path) for "))
        source.stop()
    }

    @Test("the states without a fix are told", arguments: [true, false])
    func tellsNoFix(hasSentences: Bool) throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path, hurry: 4)
        source.start(deliver: delivery.deliver)
        let receiver = try SimulatedReceiver(on: terminal) { second in
            hasSentences
                ? SampleSentences.voidEpoch(second)
                : SampleSentences.sentence("GPGSV,1,1,01,07,45,120,31")
        }
        #expect(delivery.eventually { $0.has(.noFix) })
        source.stop()
        receiver.end()
        #expect(!delivery.has(.fix) && !delivery.has(.wrongBaud))
        let reason = delivery.health.first { $0.state == .noFix }?.reason ?? ""
        #expect(
            reason.hasPrefix(hasSentences ? "searching" : "\(terminal.path) sends no RMC"),
            "\(reason)")
    }

    @Test("bytes that would steer a terminal do no harm")
    func toleratesControlBytes() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.openings == 1 })
        let first = [3, 19, 26, 28, 4, 0, 17] + Array(SampleSentences.epoch(1).utf8)
        // All 256 bytes, as the payload of a binary message has them.
        let second = Array(0...255) + [19] + Array(SampleSentences.epoch(2).utf8) + [3]
        terminal.send(first)
        terminal.send(second)
        #expect(
            delivery.eventually {
                $0.fixes.count == 2 && $0.raw.count == first.count + second.count
            })
        source.stop()
        let isIntact = delivery.raw == first + second
        #expect(isIntact, "bytes were eaten or changed")
    }

    @Test("a flood is read to the last byte, in order")
    func readsAFlood() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path)
        source.start(deliver: delivery.deliver)
        let flood = Array((0..<8000).map(SampleSentences.epoch).joined().utf8)
        #expect(flood.count > 1_000_000)
        #expect(terminal.send(flood))
        #expect(delivery.eventually(seconds: 60) { $0.fixes.count == 8000 })
        source.stop()
        let isWhole = delivery.raw == flood
        #expect(isWhole, "bytes were lost or changed")
        #expect(source.snapshot.counters.bytes == flood.count)
        #expect(source.snapshot.counters.accepted == 16_000)
    }

    @Test("a port that another program has, or that is no device, is told as such")
    func tellsWhyItCannotOpen() throws {
        let terminal = try PseudoTerminal()
        let holder = try SerialLine.open(terminal.path, baud: 9600)
        let busy = source(terminal.path)
        busy.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.has(.portBusy) })
        busy.stop()
        withExtendedLifetime(holder.number) {}

        try FileContents.replace(folder.file("drive.log"), with: [65])
        let other = Delivery()
        let log = source(folder.file("drive.log"))
        log.start(deliver: other.deliver)
        #expect(other.eventually { $0.has(.noDevice) })
        #expect(other.health.last?.reason.hasSuffix("set receiver.source to file") == true)
        log.stop()
    }

    @Test(
        "stop comes back at once, whatever the source is doing", arguments: ["reading", "waiting"])
    func stops(phase: String) throws {
        let terminal = try PseudoTerminal()
        let path = phase == "reading" ? terminal.path : folder.file("absent")
        let source = source(path)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { !$0.all.isEmpty })
        source.stop()
        let count = delivery.all.count
        terminal.send(SampleSentences.epoch(1))
        usleep(50_000)
        #expect(delivery.all.count == count)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.all.count > count })
        source.stop()
    }

    @Test("nothing is ever written to the receiver")
    func neverWrites() throws {
        let terminal = try PseudoTerminal()
        let source = source(terminal.path, hurry: 10)
        source.start(deliver: delivery.deliver)
        let receiver = try SimulatedReceiver(on: terminal, baud: 38_400)
        #expect(delivery.eventually { $0.has(.fix) })
        source.stop()
        receiver.end()
        #expect(terminal.receive(milliseconds: 100).isEmpty)
    }
}
