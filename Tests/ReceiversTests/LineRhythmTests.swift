import TestSupport
import Testing
import Timekeeping

@testable import Receivers

@Suite("The rhythm of a line")
struct LineRhythmTests {
    private func reading(
        _ end: Int64, period: Int64 = 1000, bytes: Int = 480, hadToWait: Bool = false,
        byteMilliseconds: Double = 0
    ) -> LineRhythm.Reading {
        LineRhythm.Reading(
            end: Uptime(milliseconds: end), period: period, bytes: bytes, hadToWait: hadToWait,
            byteMilliseconds: byteMilliseconds)
    }

    /// After six regular epochs that end at 1 ... 6 s.
    private func known(bytes: Int = 480) -> LineRhythm {
        var rhythm = LineRhythm()
        for second in 1...6 { rhythm.note(reading(Int64(second) * 1000, bytes: bytes)) }
        return rhythm
    }

    @Test("five regular intervals make a rhythm, none before")
    func learns() {
        var rhythm = LineRhythm()
        for second in 1...5 {
            rhythm.note(reading(Int64(second) * 1000 + Int64(second % 2) * 60))
            #expect(rhythm.aim == nil)
        }
        rhythm.note(reading(6000))
        #expect(rhythm.aim == Uptime(milliseconds: 7010))
    }

    @Test("the aim creeps towards the last byte, and steps back when it came too early")
    func creeps() {
        var rhythm = known()
        rhythm.note(reading(7010))
        #expect(rhythm.aim == Uptime(milliseconds: 8009))
        rhythm.note(reading(8009))
        #expect(rhythm.aim == Uptime(milliseconds: 9008))
        rhythm.note(reading(9020, hadToWait: true))
        #expect(rhythm.aim == Uptime(milliseconds: 10_030))
    }

    @Test("a shorter epoch is not waited for as long as a longer one")
    func shortens() {
        var rhythm = known(bytes: 480)
        rhythm.note(reading(7010, bytes: 384, byteMilliseconds: 10_000 / 9600))
        #expect(rhythm.aim == Uptime(milliseconds: 8009 - 100))
    }

    @Test(
        "what is irregular, too slow, too fast or too much has no rhythm",
        arguments: [
            (7130, 1000, 480), (6870, 1000, 480), (7000, 1300, 480), (6080, 80, 100),
            (7000, 1000, 2049), (5000, 1000, 480),
        ] as [(Int64, Int64, Int)])
    func hasNone(end: Int64, period: Int64, bytes: Int) {
        var rhythm = known()
        rhythm.note(reading(end, period: period, bytes: bytes))
        #expect(rhythm.aim == nil)
    }

    @Test("an outage ends it, and it is learned anew")
    func relearns() {
        var rhythm = known()
        rhythm.reset()
        #expect(rhythm.aim == nil)
        for second in 10...14 {
            rhythm.note(reading(Int64(second) * 1000))
            #expect(rhythm.aim == nil)
        }
        rhythm.note(reading(15_000))
        #expect(rhythm.aim != nil)
    }

    /// A receiver whose bursts end with jitter, read by the rules of the reader.
    @Test(
        "decisions wait a few dozen milliseconds and few looks are in vain", arguments: [1, 2, 3])
    func simulated(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var rhythm = known()
        var looks = 0
        var longest: Int64 = 0
        let epochs = 3600
        for number in 7..<(7 + epochs) {
            let end = Int64(number) * 1000 + Int64.random(in: -8...8, using: &random)
            guard let aim = rhythm.aim?.milliseconds else {
                Issue.record("seed \(seed): the rhythm was lost at \(number)")
                return
            }
            var look = aim
            looks += 1
            while look < end {
                look += 25
                looks += 1
            }
            longest = max(longest, look - end)
            rhythm.note(reading(look, hadToWait: look > aim))
        }
        #expect(longest <= 60, "seed \(seed)")
        #expect(Double(looks) / Double(epochs) < 1.2, "seed \(seed): \(looks) looks")
    }
}
