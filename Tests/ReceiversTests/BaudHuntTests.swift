import Testing
import Timekeeping

@testable import Receivers

@Suite("Baud hunt")
struct BaudHuntTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

    @Test(
        "the configured speed comes first, then the last good one, then the usual ones",
        arguments: [
            (nil, nil, [9600, 38_400, 115_200, 4800, 57_600, 230_400, 460_800, 921_600]),
            (4800, nil, [4800, 9600, 38_400, 115_200, 57_600, 230_400, 460_800, 921_600]),
            (nil, 115_200, [115_200, 9600, 38_400, 4800, 57_600, 230_400, 460_800, 921_600]),
            (
                19_200, 9600,
                [19_200, 9600, 38_400, 115_200, 4800, 57_600, 230_400, 460_800, 921_600]
            ),
            (9600, 9600, [9600, 38_400, 115_200, 4800, 57_600, 230_400, 460_800, 921_600]),
        ] as [(Int?, Int?, [Int])])
    func ordersSpeeds(configured: Int?, lastGood: Int?, speeds: [Int]) {
        let hunt = BaudHunt(configured: configured, lastGood: lastGood, at: at(0))
        #expect(hunt.speeds == speeds)
        #expect(hunt.speed == speeds[0])
    }

    @Test("three good checksums prove a speed, two do not")
    func locks() {
        var hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        hunt.note(bytes: 150, checksums: 2, at: at(500))
        #expect(hunt.decide(at: at(500)) == .stay)
        hunt.note(bytes: 75, checksums: 1, at: at(900))
        #expect(hunt.decide(at: at(900)) == .lock(9600))
        #expect(hunt.isLocked)
        #expect(hunt.decide(at: at(900)) == .stay)
    }

    @Test("noise for 2.2 s changes the speed, not earlier, and all speeds come round")
    func hunts() {
        var hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        var now: Int64 = 0
        for expected in [38_400, 115_200, 4800, 57_600, 230_400, 460_800, 921_600, 9600, 38_400] {
            hunt.note(bytes: 100, checksums: 0, at: at(now + 1))
            #expect(hunt.decide(at: at(now + 2199)) == .stay)
            #expect(hunt.deadline == at(now + 2200))
            #expect(hunt.decide(at: at(now + 2200)) == .change(expected))
            now += 2200
        }
        #expect(hunt.rounds == 1)
    }

    @Test("silence and a glitch on the line never change the speed", arguments: [0, 1, 7])
    func waitsInSilence(bytes: Int) {
        var hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        for now in stride(from: Int64(0), through: 60_000, by: 100) {
            if now % 3000 == 0 { hunt.note(bytes: bytes, checksums: 0, at: at(now)) }
            #expect(hunt.decide(at: at(now)) == .stay)
        }
        #expect(hunt.speed == 9600)
    }

    @Test("a receiver that sends one sentence in five seconds is waited for")
    func waitsForSlowReceivers() {
        var hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        var decisions: [BaudHunt.Decision] = []
        for now in stride(from: Int64(0), through: 11_000, by: 100) {
            if now % 5000 == 1000 { hunt.note(bytes: 75, checksums: 1, at: at(now)) }
            decisions.append(hunt.decide(at: at(now)))
        }
        #expect(decisions.filter { $0 != .stay } == [.lock(9600)])
    }

    @Test("a single good checksum among noise does not hold the hunt for ever")
    func isNotFooled() {
        var hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        hunt.note(bytes: 100, checksums: 1, at: at(100))
        var changed: Int64?
        for now in stride(from: Int64(200), through: 20_000, by: 100) where changed == nil {
            hunt.note(bytes: 20, checksums: 0, at: at(now))
            if hunt.decide(at: at(now)) == .change(38_400) { changed = now }
        }
        #expect(changed.map { (12_000...14_500).contains($0) } == true)
    }

    @Test("a proven speed is given up when only noise comes, not when nothing comes")
    func doubts() {
        for isNoisy in [true, false] {
            var hunt = BaudHunt(configured: nil, lastGood: 115_200, at: at(0))
            hunt.note(bytes: 225, checksums: 3, at: at(0))
            #expect(hunt.decide(at: at(0)) == .lock(115_200))
            var changed: Int64?
            for now in stride(from: Int64(100), through: 20_000, by: 100) where changed == nil {
                if isNoisy { hunt.note(bytes: 20, checksums: 0, at: at(now)) }
                if hunt.decide(at: at(now)) == .change(9600) { changed = now }
            }
            #expect(changed == (isNoisy ? 6000 : nil))
        }
    }
}
