import Positioning
import Testing
import Timekeeping
import WireFormat

@testable import Receivers

@Suite("What is watched of gpsd")
struct GPSDWatchTests {
    private func at(_ seconds: Double) -> Uptime { Uptime(milliseconds: Int64(seconds * 1000)) }

    private func report(_ text: String) -> GPSDReport { GPSDReport(line: Array(text.utf8)[...]) }

    private var position: GPSDReport { report(#"{"class":"TPV","mode":1}"#) }

    private func watch() -> GPSDWatch {
        GPSDWatch(openedAt: at(100), silentSince: nil, timing: GPSDWatch.Timing())
    }

    @Test("10 s without TPV: a question; no answer in 3 s: another connection")
    func ladder() {
        var watch = watch()
        watch.note(position, at: at(105))
        #expect(watch.decide(at: at(114.9)) == nil)
        #expect(watch.deadline(after: at(105)) == at(115))
        #expect(watch.decide(at: at(115)) == .ask)
        #expect(watch.deadline(after: at(115)) == at(118))
        // Other reports are no answer: gpsd may talk of another receiver.
        watch.note(report(#"{"class":"SKY","hdop":1}"#), at: at(116))
        #expect(watch.decide(at: at(117.9)) == nil)
        #expect(watch.decide(at: at(118)) == .reconnect)
    }

    @Test("an answer is asked for again every 10 s, and a report ends the silence")
    func answers() {
        var watch = watch()
        #expect(watch.decide(at: at(110)) == .ask)
        watch.note(.devices([]), at: at(110.1))
        #expect(watch.decide(at: at(119.9)) == nil)
        #expect(watch.decide(at: at(120)) == .ask)
        watch.note(.devices([]), at: at(120.1))
        #expect(watch.condition(at: at(120.1)).state == .noData)
        watch.note(position, at: at(121))
        #expect(watch.decide(at: at(130.9)) == nil)
        #expect(watch.condition(at: at(121)) == .waiting)
        #expect(watch.decide(at: at(131)) == .ask)
    }

    @Test("silence is told at 20 s, counted over connections")
    func silence() {
        let first = watch()
        #expect(first.condition(at: at(119.9)) == .waiting)
        #expect(first.condition(at: at(120)) == .silent(seconds: 20, devices: nil))
        let second = GPSDWatch(
            openedAt: at(114), silentSince: first.silentSince, timing: GPSDWatch.Timing())
        #expect(second.condition(at: at(120)).state == .noData)
        #expect(second.deadline(after: at(114)) == at(120))
        #expect(second.deadline(after: at(120)) == at(121))
    }

    @Test("a closed receiver is told at once, unless another is open")
    func closed() {
        var watch = watch()
        let closed = report(#"{"class":"DEVICE","path":"/dev/a","activated":0}"#)
        watch.note(position, at: at(101))
        watch.note(closed, at: at(102))
        #expect(watch.condition(at: at(102)) == .closed(path: "/dev/a"))
        watch.note(
            report(#"{"class":"DEVICE","path":"/dev/b","activated":"2026-01-01T00:00:00Z"}"#),
            at: at(103))
        #expect(watch.condition(at: at(103)) == .waiting)
        watch.note(closed, at: at(104))
        #expect(watch.condition(at: at(104)) == .waiting)
    }

    @Test(
        "the hint says what gpsd lacks",
        arguments: [
            (nil, "it does not say which receivers it has, restart it"),
            (#"[]"#, "it has no receiver, give it one: gpsdctl add /dev/ttyUSB0"),
            (
                #"[{"path":"/dev/a"}]"#,
                "it has not opened /dev/a. Plug it in, then gpsdctl add /dev/a"
            ),
            (
                #"[{"path":"/dev/a","activated":"2026-01-01T00:00:00Z"}]"#,
                "nothing comes from /dev/a. Plug it in"
            ),
        ] as [(String?, String)])
    func hints(list: String?, words: String) throws {
        var watch = watch()
        if let list { watch.note(report(#"{"class":"DEVICES","devices":\#(list)}"#), at: at(101)) }
        let address = try #require(GPSDAddress())
        let health = GPSDReasons(address: address).health(
            of: watch.condition(at: at(125)), release: nil)
        #expect(health.state == .noData && health.reason.contains(words))
        #expect(
            health.reason.hasPrefix("no position report from gpsd at localhost:2947 for 25 s: "))
    }

    @Test("the wait before the next try doubles from 1 s to 30 s, up to a quarter less by chance")
    func delays() {
        var (latest, earliest) = (RetryDelay(), RetryDelay())
        #expect(
            (0..<7).map { _ in latest.next() } == [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000])
        #expect(
            (0..<7).map { _ in earliest.next(jitter: 1) }
                == [750, 1500, 3000, 6000, 12_000, 22_500, 22_500])
        latest.reset()
        #expect(latest.next(jitter: 0.5) == 875)
    }
}
