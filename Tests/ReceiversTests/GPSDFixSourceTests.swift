import Foundation
import LinuxSystem
import Positioning
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import Receivers

@Suite("gpsd source")
struct GPSDFixSourceTests {
    let delivery = Delivery()

    private func source(
        _ port: Int, timing: GPSDWatch.Timing = GPSDWatch.Timing(), retry: Int? = 20,
        lastTrusted: TrustedTime? = nil
    ) throws -> GPSDFixSource {
        var configuration = GPSDFixSource.Configuration(
            address: try #require(GPSDAddress(host: "127.0.0.1", port: port)),
            decoder: GPSDDecoder.Configuration(lastTrusted: lastTrusted))
        configuration.timing = timing
        configuration.retryMilliseconds = retry
        return GPSDFixSource(configuration, timekeeper: SystemTimekeeper())
    }

    private let quick = GPSDWatch.Timing(ask: 200, answer: 150, silence: 600)

    @Test("reports become fixes, the lines are delivered before them, and WATCH has no device")
    func delivers() throws {
        let sent = SampleReports.greeting + (0..<5).map { SampleReports.position($0) }.joined()
        let gpsd = try FakeGPSD { client in
            client.send(sent)
            client.stay()
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 5 })
        #expect(source.snapshot.isConnected && source.snapshot.devicePath == "/dev/ttyACM0")
        #expect(source.snapshot.release == "3.22")
        source.stop()
        #expect(delivery.reports == Array(sent.utf8) && delivery.raw.isEmpty)
        #expect(delivery.fixes.allSatisfy { $0.source == .gpsd && $0.coordinate != nil })
        #expect(delivery.has(.fix) && delivery.openings == 1)
        #expect(gpsd.received.contains(#"?WATCH={"enable":true,"json":true"#))
        #expect(!gpsd.received.contains("device"))
        #expect(source.snapshot.counters.positions == 5 && !source.snapshot.isConnected)
        gpsd.end()
    }

    @Test("half a line costs nothing: it is read once, and completed when the rest comes")
    func halfALine() throws {
        let line = SampleReports.position(1)
        let gpsd = try FakeGPSD { client in
            client.send(SampleReports.position(0) + String(line.prefix(40)))
            client.pause(milliseconds: 3000)
            client.send(String(line.dropFirst(40)))
            client.stay()
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 1 })
        usleep(1_500_000)
        #expect(source.snapshot.reads <= 6, "\(source.snapshot.reads) reads of half a line")
        #expect(delivery.eventually { $0.fixes.count == 2 })
        #expect(source.snapshot.reads <= 12)
        source.stop()
        gpsd.end()
    }

    enum Ending: CaseIterable, Sendable {
        case closed, reset, closedInALine, overlong
    }

    @Test(
        "whatever ends the connection, it is made again and the next report is used",
        arguments: Ending.allCases)
    func reconnects(ending: Ending) throws {
        let gpsd = try FakeGPSD { client in
            client.send(SampleReports.position(client.number))
            client.pause(milliseconds: 400)
            guard client.number < 3 else { return client.stay() }
            switch ending {
            case .closed: break
            case .closedInALine: client.send(#"{"class":"TPV","mode":3,"#)
            case .reset: client.breakAtEnd()
            case .overlong:
                client.send(
                    #"{"class":"SKY","x":""# + String(repeating: "a", count: 30_000) + "\"}\n")
                client.send(SampleReports.position(100 + client.number))
                client.pause(milliseconds: 2000)
            }
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 4 })
        #expect(source.snapshot.hangUps == 3 && source.snapshot.openings == 4)
        let times = delivery.fixes.compactMap(\.time)
        #expect(Set(times).count == 4 && times == times.sorted())
        let reasons = delivery.health.filter { $0.state == .noDevice }.map(\.reason)
        switch ending {
        case .closed, .closedInALine:
            #expect(reasons.allSatisfy { $0.contains("closed the connection") } && !reasons.isEmpty)
        case .reset: #expect(reasons.contains { $0.contains("broke: Connection reset") })
        case .overlong:
            #expect(reasons.contains { $0.contains("longer than libgps takes: is that") })
            #expect(reasons.contains { $0.contains("longer than libgps takes, 3 times in a row") })
        }
        source.stop()
        gpsd.end()
    }

    @Test("a report after a reconnection that was there before is no second fix")
    func repeatedReport() throws {
        let gpsd = try FakeGPSD { client in
            client.send(SampleReports.position(7))
            client.pause(milliseconds: client.number < 2 ? 400 : 0)
            if client.number >= 2 {
                client.send(SampleReports.position(8))
                client.stay()
            }
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count >= 2 })
        usleep(300_000)
        #expect(delivery.fixes.count == 2 && source.snapshot.counters.late == 2)
        source.stop()
        gpsd.end()
    }

    @Test("TPV without time, mode 3 without latitude, NaN and noise do no harm")
    func strangeReports() throws {
        let gpsd = try FakeGPSD { client in
            client.send(
                "hello\n\n\u{1}\u{2}\n{\"class\":\"NEW\",\"x\":[{}]}\n{\"class\":\"TPV\",\n")
            client.send(
                #"{"class":"TPV","device":"/dev/ttyACM0","mode":2,"lat":52.5,"lon":13.4}"# + "\n")
            client.pause(milliseconds: 600)
            client.send(SampleReports.position(1, place: #""alt":50"#))
            client.send(SampleReports.position(2, place: #""lat":NaN,"lon":nan"#))
            client.send(SampleReports.position(3))
            client.stay()
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 4 })
        #expect(delivery.fixes.map { $0.coordinate != nil } == [true, false, false, true])
        #expect(delivery.fixes.map { $0.time != nil } == [false, true, true, true])
        let counters = source.snapshot.counters
        #expect(counters.malformed == 3 && counters.positionMissing == 2)
        #expect(source.snapshot.hangUps == 0)
        source.stop()
        gpsd.end()
    }

    @Test("a thousand reports that wait are all taken at once")
    func queuedReports() throws {
        let gpsd = try FakeGPSD { client in
            client.send((0..<1000).map { SampleReports.position($0) }.joined())
            client.stay()
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 1000 })
        #expect(source.snapshot.reads < 1200)
        let times = delivery.fixes.compactMap(\.time)
        #expect(times == times.sorted() && Set(times).count == 1000)
        source.stop()
        gpsd.end()
    }

    @Test("silence is asked about; with an answer it is told and the connection stays")
    func answeredSilence() throws {
        let gpsd = try FakeGPSD { client in
            client.send(SampleReports.greeting + SampleReports.position(0))
            client.stay { $0.contains("?DEVICES;") ? SampleReports.devices : "" }
        }
        let source = try source(gpsd.port, timing: quick)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.has(.noData) })
        #expect(delivery.eventually { _ in source.snapshot.questions >= 4 })
        #expect(source.snapshot.openings == 1 && gpsd.connections == 1)
        let reason = delivery.health.last { $0.state == .noData }?.reason ?? ""
        #expect(reason.contains("nothing comes from /dev/ttyACM0"))
        #expect(reason.contains("gpsdctl add /dev/ttyACM0, or restart gpsd"))
        #expect(gpsd.received.contains("?DEVICES;\n"))
        source.stop()
        gpsd.end()
    }

    @Test("without an answer the connection is dead, and another is made")
    func unansweredSilence() throws {
        let gpsd = try FakeGPSD { client in
            if client.number == 3 { client.send(SampleReports.position(0)) }
            client.stay()
        }
        let source = try source(gpsd.port, timing: quick)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 1 })
        #expect(delivery.has(.noDevice) && delivery.has(.noData))
        #expect(delivery.eventually { $0.has(.fix) })
        // The silence is counted over the connections, so that it is told at all.
        let states = delivery.health.map(\.state)
        #expect(states.firstIndex(of: .noData) ?? 0 < states.firstIndex(of: .fix) ?? 0)
        source.stop()
        gpsd.end()
    }

    @Test("a receiver that gpsd closes is told at once, with what to do")
    func closedReceiver() throws {
        let gpsd = try FakeGPSD { client in
            client.send(SampleReports.devices + SampleReports.position(0))
            client.pause(milliseconds: 400)
            client.send(#"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"# + "\r\n")
            client.pause(milliseconds: 400)
            client.send(SampleReports.position(1))
            client.stay()
        }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.health.last?.state == .noData })
        let reason = delivery.health.last { $0.state == .noData }?.reason ?? ""
        #expect(reason.contains("has closed /dev/ttyACM0, was it unplugged?"))
        #expect(reason.contains("gpsdctl add /dev/ttyACM0"))
        #expect(delivery.eventually { $0.fixes.count == 2 && $0.health.last?.state == .fix })
        source.stop()
        gpsd.end()
    }

    @Test("without a gpsd that is told once, and it is found when it comes")
    func refused() throws {
        let (descriptor, port) = try FakeGPSD.listen(backlog: 1)
        close(descriptor)
        let source = try source(port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.has(.noDevice) })
        usleep(300_000)
        let told = delivery.health.filter { $0.state == .noDevice }
        #expect(
            told.count == 1 && told[0].reason.hasPrefix("no gpsd at 127.0.0.1:\(port): start it"))
        #expect(!delivery.health.dropFirst(2).contains { $0.state == .opening })
        source.stop()
    }

    @Test("what takes connections and closes them again is told once, not for each of them")
    func closedAgainAndAgain() throws {
        let gpsd = try FakeGPSD { _ in }
        let source = try source(gpsd.port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { _ in gpsd.connections >= 8 })
        source.stop()
        let told = delivery.health.map(\.state)
        #expect(told.count(where: { $0 == .noDevice }) == 1, "\(told)")
        #expect(told.last == .noDevice)
        gpsd.end()
    }

    @Test("stopping does not wait for a connection that is being made")
    func stopsWhileConnecting() throws {
        // A full backlog: SYN goes unanswered, and connect(2) waits for minutes.
        let (listener, port) = try FakeGPSD.listen(backlog: 0)
        defer { close(listener) }
        var others: [Int32] = []
        defer { for descriptor in others { close(descriptor) } }
        for _ in 0..<4 { others.append(try connecting(to: port)) }
        let source = try source(port)
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.has(.opening) })
        usleep(300_000)
        #expect(!source.snapshot.isConnected && !delivery.has(.noDevice))
        let start = SystemTimekeeper().uptime
        source.stop()
        #expect(SystemTimekeeper().uptime.seconds(since: start) < 0.8)
        source.start(deliver: delivery.deliver)
        source.stop()
    }

    private func connecting(to port: Int) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(O_NONBLOCK), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return descriptor
    }

    @Test("a day that jumps back at midnight is set right on the way")
    func midnight() throws {
        let gpsd = try FakeGPSD { client in
            for second in -8..<8 {
                let day = second < 5 ? "01" : "02"
                let clock =
                    second < 0 ? "23:59:\(60 + second)" : "00:00:0\(second)"
                client.send(
                    #"{"class":"TPV","mode":3,"time":"2026-03-\#(day)T\#(clock).000Z","#
                        + #""lat":52.5,"lon":13.4}"# + "\r\n")
                guard client.pause(milliseconds: 150) else { return }
            }
            client.stay()
        }
        let midnight = try #require(UTCTime(rfc3339: "2026-03-02T00:00:00Z"))
        let source = try source(
            gpsd.port,
            lastTrusted: TrustedTime(
                time: midnight.advanced(byMilliseconds: -9000),
                uptime: SystemTimekeeper().uptime))
        source.start(deliver: delivery.deliver)
        #expect(delivery.eventually { $0.fixes.count == 16 })
        let times = delivery.fixes.compactMap(\.time)
        #expect(times.map { $0.seconds(since: midnight) } == (-8..<8).map(Double.init))
        #expect(delivery.fixes.allSatisfy { $0.isTimeTrusted })
        source.stop()
        gpsd.end()
    }
}
