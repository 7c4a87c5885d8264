import Geodesy
import LinuxSystem
import Positioning
import TestSupport
import Testing
import Timekeeping

@testable import Receivers

@Suite("Serial watch")
struct SerialWatchTests {
    private func at(_ milliseconds: Int64) -> Uptime { Uptime(milliseconds: milliseconds) }

    private func watch(hunts: Bool = true) -> SerialWatch {
        let hunt = BaudHunt(configured: nil, lastGood: nil, at: at(0))
        return SerialWatch(openedAt: at(0), hunt: hunts ? hunt : nil)
    }

    @Test("silence is told after 5 s and ends in a reopening after 15 s")
    func tellsSilence() {
        var watch = watch()
        #expect(watch.condition(at: at(4999)) == .opening)
        #expect(watch.condition(at: at(5000)) == .silent(seconds: 5))
        #expect(watch.decide(at: at(14_999)) == nil)
        #expect(watch.decide(at: at(15_000)) == .reopen)
        watch.note(bytes: 1, sentences: 0, frames: 0, at: at(14_000))
        #expect(watch.decide(at: at(28_999)) != .reopen)
        #expect(watch.decide(at: at(29_000)) == .reopen)
    }

    @Test("a port that was opened again for its silence is silent from its last byte on")
    func staysSilent() {
        var watch = SerialWatch(openedAt: at(40_000), hunt: nil, silentSince: at(10_000))
        #expect(watch.condition(at: at(40_000)) == .silent(seconds: 30))
        #expect(watch.quietSince == at(10_000))
        #expect(watch.decide(at: at(55_000)) == .reopen)
        watch.note(bytes: 5, sentences: 0, frames: 0, at: at(56_000))
        #expect(watch.condition(at: at(56_000)) != .silent(seconds: 46))
        #expect(watch.quietSince == at(56_000))
    }

    @Test("a receiver that speaks every six seconds is not silent in between")
    func isPatient() {
        var watch = watch(hunts: false)
        for second in stride(from: Int64(0), through: 60, by: 6) {
            watch.note(bytes: 70, sentences: 1, frames: 0, at: at(second * 1000))
        }
        #expect(watch.condition(at: at(65_999)) != .silent(seconds: 5))
        #expect(watch.condition(at: at(72_000)) == .silent(seconds: 12))
        #expect(watch.decide(at: at(75_000)) == .reopen)
    }

    @Test("a port that gives noise at all speeds is given up where there is another")
    func givesUp() {
        for hasAlternatives in [true, false] {
            var hunting = SerialWatch(
                openedAt: at(0), hunt: BaudHunt(configured: nil, lastGood: nil, at: at(0)),
                hasAlternatives: hasAlternatives)
            var fixed = SerialWatch(
                openedAt: at(0), hunt: nil, hasAlternatives: hasAlternatives)
            var actions: [SerialWatch.Action] = []
            for now in stride(from: Int64(0), through: 22_000, by: 1100) {
                hunting.note(bytes: 50, sentences: 0, frames: 0, at: at(now))
                fixed.note(bytes: 50, sentences: 0, frames: 0, at: at(now))
                if let action = hunting.decide(at: at(now)) { actions.append(action) }
            }
            #expect(actions.contains(.giveUp) == hasAlternatives)
            #expect((fixed.decide(at: at(20_000)) == .giveUp) == hasAlternatives)
            #expect(fixed.decide(at: at(19_999)) == nil)
            fixed.note(bytes: 50, sentences: 1, frames: 0, at: at(22_500))
            #expect(fixed.decide(at: at(23_000)) == nil)
        }
    }

    @Test("noise is told as a wrong speed once it was listened to, and again after all speeds")
    func tellsNoise() {
        var watch = watch()
        watch.note(bytes: 50, sentences: 0, frames: 0, at: at(1000))
        #expect(watch.condition(at: at(1000)) == .opening)
        #expect(watch.condition(at: at(2200)) == .noise(allSpeedsTried: false))
        for now in stride(from: Int64(2200), through: 8 * 2200, by: 2200) {
            #expect(watch.decide(at: at(now)) != nil)
            watch.note(bytes: 50, sentences: 0, frames: 0, at: at(now))
        }
        #expect(watch.condition(at: at(8 * 2200)) == .noise(allSpeedsTried: true))
        var fixed = self.watch(hunts: false)
        fixed.note(bytes: 50, sentences: 0, frames: 0, at: at(1000))
        #expect(fixed.condition(at: at(2200)) == .noise(allSpeedsTried: true))
        #expect(fixed.decide(at: at(9000)) == nil)
    }

    @Test("what the sentences lack is told")
    func tellsWhatIsMissing() {
        var watch = watch()
        watch.note(bytes: 900, sentences: 0, frames: 9, at: at(1000))
        #expect(watch.condition(at: at(1000)) == .binaryOnly)
        watch.note(bytes: 900, sentences: 10, frames: 0, at: at(2000))
        #expect(watch.condition(at: at(2000)) == .noPositionSentences)
        watch.note(Fix(uptime: at(2500), satellitesInView: 4, bestSignal: 28, source: .nmea))
        #expect(
            watch.condition(at: at(2500))
                == .noFix(hasTime: false, bestSignal: 28, satellitesInView: 4))
        watch.note(
            Fix(
                coordinate: Coordinate(latitude: 1, longitude: 2), uptime: at(3000),
                dimension: .twoDimensional, source: .nmea))
        #expect(watch.condition(at: at(3000)) == .fix)
        #expect(watch.condition(at: at(7000)) == .silent(seconds: 5))
    }

    @Test("the wait for bytes never outlasts what is due")
    func hasDeadlines() {
        var watch = watch()
        #expect(watch.deadline(after: at(0)) == at(1000))
        #expect(watch.deadline(after: at(1500)) == at(2200))
        watch.note(bytes: 10, sentences: 0, frames: 0, at: at(100))
        #expect(watch.deadline(after: at(14_900)) <= at(15_100))
    }

    @Test("the waits between two tries double up to 30 s and start over after data")
    func waitsLonger() {
        var delay = RetryDelay()
        #expect(
            (0..<8).map { _ in delay.next() } == [
                1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
            ])
        delay.reset()
        #expect(delay.next() == 1000)
    }

    @Test("a state is told at once, new words for it every 5 s, the same words once")
    func reports() {
        var reporter = HealthReporter()
        let first = SourceHealth(.noData, "5 s")
        let later = SourceHealth(.noData, "6 s")
        #expect(reporter.isDue(.noData, at: at(0)))
        #expect(reporter.report(first, at: at(0)) == first)
        #expect(!reporter.isDue(.noData, at: at(4999)))
        #expect(reporter.isDue(.fix, at: at(1)))
        #expect(reporter.isDue(.noData, at: at(5000)))
        #expect(reporter.report(first, at: at(5000)) == nil)
        #expect(reporter.report(later, at: at(5000)) == later)
    }
}
