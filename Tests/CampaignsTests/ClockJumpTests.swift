import Campaigns
import Geofencing
import TestSupport
import Testing
import Timekeeping

@Suite("Cooldowns and clocks")
struct ClockJumpTests {
    @Test(
        "within a boot no jump of UTC changes what is left",
        arguments: [-1024.0 * 168, -24, -1, 1, 24, 1024 * 168] as [Double])
    func jump(hours: Double) {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        bench.wait(hours: 1)
        bench.utc = bench.utc?.advanced(byMilliseconds: Int64(hours * 3_600_000))
        #expect(bench.decide().basis?.remainingSeconds == 82_800)
        bench.wait(hours: 22.99)
        #expect(bench.decide().word == "cooldown")
        bench.wait(hours: 0.02)
        #expect(bench.decide().word == "shown")
    }

    @Test("over a reboot UTC tells how long it was")
    func reboot() {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        bench.reboot(afterHours: 23)
        #expect(bench.decide().basis?.remainingSeconds == 3_600)
        bench.reboot(afterHours: 1)
        #expect(bench.decide().word == "shown")
    }

    @Test("a claim from a wrong future holds back for its hours and no longer")
    func future() {
        var bench = DeskBench([DeskBench.fence()])
        bench.wait(hours: 24 * 365 * 20)
        #expect(bench.decide().word == "shown")
        bench.reboot(afterHours: -24 * 365 * 20)
        #expect(bench.decide().word == "cooldown")
        // The next boot goes on from what was found out in this one.
        bench.wait(hours: 12)
        #expect(bench.decide().word == "cooldown")
        bench.reboot(afterHours: 11.9)
        #expect(bench.decide().word == "cooldown")
        bench.wait(hours: 0.2)
        #expect(bench.decide().word == "shown")
    }

    @Test("without a time after a reboot the boot's own age counts")
    func timeless() {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        bench.reboot(afterHours: 5, knowingTime: false)
        #expect(bench.decide().word == "cooldown")
        bench.wait(hours: 23.9)
        #expect(bench.decide().word == "cooldown")
        bench.wait(hours: 0.2)
        #expect(bench.decide().word == "shown")
    }

    @Test("an event that is dated before the last one shown is held back")
    func earlier() {
        var bench = DeskBench([DeskBench.fence()])
        let before = bench.now
        bench.wait(hours: 1)
        #expect(bench.decide().word == "shown")
        let late = NotificationOccasion(
            fenceID: "A", kind: .enter, occurred: before, detected: bench.now)
        let decision = bench.desk.decide([late], at: bench.now)[0]
        #expect(decision.word == "cooldown")
        #expect(decision.basis?.remainingSeconds == 86_400)
    }

    /// What a seeded life with reboots and wild clocks may not do.
    @Test(
        "whatever clocks do: never twice within a boot's cooldown, and never held back for longer")
    func property() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        var shownCount = 0
        for life in 0..<300 {
            var bench = DeskBench([DeskBench.fence()])
            // In uptime of the present boot: the last one shown; nil: before it.
            var lastShown: Int64?
            for _ in 0..<60 {
                switch Int.random(in: 0..<10, using: &random) {
                case 0:
                    bench.reboot(
                        afterHours: Double.random(in: -50...50, using: &random),
                        knowingTime: Bool.random(using: &random))
                    lastShown = nil
                case 1:
                    bench.utc = UTCTime(
                        millisecondsSince1970: Int64.random(
                            in: 0...4_000_000_000_000, using: &random))
                case 2: bench.utc = nil
                default: bench.wait(hours: Double.random(in: 0...9, using: &random))
                }
                let now = bench.uptimeMilliseconds
                let decision = bench.decide()
                let held = now - (lastShown ?? 0)
                switch decision.word {
                case "shown":
                    if lastShown != nil {
                        #expect(held >= 86_400_000, "twice: seed \(seed), life \(life)")
                    }
                    lastShown = now
                    shownCount += 1
                case "cooldown":
                    #expect(held < 86_400_000, "held back: seed \(seed), life \(life)")
                    let left = decision.basis?.remainingSeconds ?? -1
                    #expect(left > 0 && left <= 86_400, "seed \(seed), life \(life)")
                default: Issue.record("\(decision.word): seed \(seed), life \(life)")
                }
            }
        }
        print("clock lives: seed \(seed), \(shownCount) shown")
    }

    @Test("what is kept is bounded, and what is over is forgotten")
    func bounded() {
        let fences = (0..<400).map { DeskBench.fence("f\($0)", cooldownHours: 24) }
        var bench = DeskBench(fences)
        for index in 0..<400 {
            bench.wait(hours: 0.01)
            #expect(bench.decide("f\(index)").word == "shown")
        }
        #expect(bench.desk.state.claims.count == NotificationState.claimLimit)
        bench.wait(hours: 49)
        #expect(bench.decide("f0").word == "shown")
        #expect(bench.desk.state.claims.count == 1)
    }
}
