import Geodesy
import Positioning
import TestSupport
import Testing
import Timekeeping

@Suite("The quality gate")
struct FixFilterTests {
    let track = PlaneTrack()

    /// Feeds fixes and returns the last result.
    private func judge(_ fixes: [Fix], rules: FixFilterRules = FixFilterRules()) -> FixFilter
        .Result?
    {
        var filter = FixFilter(rules: rules)
        var last: FixFilter.Result?
        for fix in fixes { last = filter.ingest(fix) }
        return last
    }

    @Test(
        "an accuracy decides what a fix may prove",
        arguments: [
            (5.0 as Double?, FixVerdict.ok, 5.0), (100, .ok, 100), (100.1, .departOnly, 100.1),
            (300, .departOnly, 300), (300.1, .inaccurate, 300.1), (nil, .ok, 15), (0, .ok, 15),
            (-4, .ok, 15), (.nan, .ok, 15), (1, .ok, 3),
        ])
    func accuracy(claimed: Double?, verdict: FixVerdict, effective: Double) {
        let result = judge([track.fix(at: 0, east: 0, accuracy: claimed)])
        #expect(result?.latest.verdict == verdict)
        #expect(result?.latest.accuracyMeters == effective)
        #expect(result?.latest.seedsState == (verdict == .ok))
    }

    @Test("RTK may be better than 3 m, and the scale applies to what is claimed only")
    func scaledAccuracy() {
        var rules = FixFilterRules()
        rules.accuracyScale = 2
        let fixed = track.fix(at: 0, east: 0, accuracy: 0.1, quality: .rtkFixed)
        #expect(judge([fixed], rules: rules)?.latest.accuracyMeters == 0.5)
        let plain = track.fix(at: 0, east: 0, accuracy: 10)
        #expect(judge([plain], rules: rules)?.latest.accuracyMeters == 20)
        let unknown = track.fix(at: 0, east: 0, accuracy: nil)
        #expect(judge([unknown], rules: rules)?.latest.accuracyMeters == 15)
    }

    @Test("an epoch without a position is invalid and void")
    func void() {
        let result = judge([track.void(at: 0)])
        #expect(result?.latest.verdict == .invalid)
        #expect(result?.latest.isVoid == true)
    }

    @Test("null island is refused, its neighbourhood is not")
    func nullIsland() {
        let island = PlaneTrack(latitude: 0, longitude: 0)
        #expect(judge([island.fix(at: 0, east: 5, north: 5)])?.latest.verdict == .nullIsland)
        #expect(judge([island.fix(at: 0, east: 5, north: 20)])?.latest.verdict == .ok)
    }

    @Test(
        "positions that no satellite gave do not count",
        arguments: [
            (Quality.manual, FixVerdict.invalid), (.simulated, .invalid), (.estimated, .estimated),
            (.autonomous, .ok), (.other(9), .ok),
        ])
    func qualities(quality: Quality, verdict: FixVerdict) {
        let fix = track.fix(at: 0, east: 0, quality: quality)
        #expect(judge([fix])?.latest.verdict == verdict)
        let fixed = track.fix(at: 0, east: 0, source: .fixed, quality: .manual)
        #expect(judge([fixed])?.latest.verdict == .ok)
    }

    @Test(
        "dead reckoning counts for two minutes after a real fix, at 30 m or better, when accepted",
        arguments: [
            (true, 119.0, 20.0, FixVerdict.ok), (true, 121, 20, .estimated),
            (true, 60, 30.5, .estimated), (false, 10, 5, .estimated),
        ])
    func deadReckoning(accepts: Bool, after: Double, accuracy: Double, verdict: FixVerdict) {
        var rules = FixFilterRules()
        rules.acceptsEstimated = accepts
        let result = judge(
            [
                track.fix(at: 0, east: 0),
                track.fix(at: after, east: 10, accuracy: accuracy, quality: .estimated),
            ], rules: rules)
        #expect(result?.latest.verdict == verdict)
    }

    @Test(
        "a time that does not advance is stale",
        arguments: [(1.0, FixVerdict.ok), (0, .stale), (-0.5, .stale), (-619_315_200, .stale)])
    func staleTime(step: Double, verdict: FixVerdict) {
        var later = track.fix(at: 1 + step, east: 0)
        later.uptime = Uptime(milliseconds: 2000)
        #expect(judge([track.fix(at: 1, east: 0), later])?.latest.verdict == verdict)
    }

    @Test("an untrusted clock may be set back, but repeats nothing")
    func untrustedTime() {
        var later = track.fix(at: 50, east: 0, isTrusted: false)
        later.uptime = Uptime(milliseconds: 102_000)
        let first = track.fix(at: 100, east: 0, isTrusted: false)
        #expect(judge([first, later])?.latest.verdict == .ok)
        later.time = first.time
        #expect(judge([first, later])?.latest.verdict == .stale)
    }

    @Test("a clock that went wrong for good locks the gate for two minutes only")
    func clockLockout() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 1_000_000, east: 0))
        var accepted: Double?
        for second in 0..<200 {
            var fix = track.fix(at: Double(second), east: 0)
            fix.uptime = Uptime(milliseconds: 1_000_000_000 + Int64(second) * 1000)
            if filter.ingest(fix).latest.verdict == .ok {
                accepted = accepted ?? Double(second)
            }
        }
        #expect(accepted == 121)
    }

    @Test("sixty equal positions at speed are frozen, at rest they are not")
    func frozen() {
        func verdicts(speed: Double) -> [FixVerdict] {
            var filter = FixFilter()
            return (0..<62).map {
                filter.ingest(track.fix(at: Double($0), east: 0, speed: speed)).latest.verdict
            }
        }
        let moving = verdicts(speed: 1.1)
        #expect(moving[..<59].allSatisfy { $0 == .ok })
        #expect(moving[59...].allSatisfy { $0 == .stale })
        #expect(verdicts(speed: 1).allSatisfy { $0 == .ok })
    }

    @Test("a fix expires after three periods, but not before three seconds")
    func expiry() {
        var filter = FixFilter()
        #expect(filter.isExpired(at: Uptime(milliseconds: 0)))
        _ = filter.ingest(track.fix(at: 0, east: 0))
        #expect(!filter.isExpired(at: Uptime(milliseconds: 3000)))
        #expect(filter.isExpired(at: Uptime(milliseconds: 3001)))
        for second in 1...5 { _ = filter.ingest(track.fix(at: Double(second) * 5, east: 0)) }
        #expect(!filter.isExpired(at: Uptime(milliseconds: 40_000)))
        #expect(filter.isExpired(at: Uptime(milliseconds: 40_001)))
    }

    @Test("every verdict is counted")
    func counts() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0))
        _ = filter.ingest(track.fix(at: 0, east: 0))
        _ = filter.ingest(track.fix(at: 1, east: 500))
        _ = filter.ingest(track.void(at: 2))
        #expect(filter.counts[.ok] == 1)
        #expect(filter.counts[.stale] == 1)
        #expect(filter.counts[.quarantined] == 1)
        #expect(filter.counts[.invalid] == 1)
    }
}

@Suite("Warm-up of a receiver")
struct WarmUpTests {
    let track = PlaneTrack()

    private func seeds(
        _ times: [Double], accuracy: Double, source: FixOrigin = .nmea
    ) -> [Bool] {
        var filter = FixFilter()
        return times.map {
            filter.ingest(track.fix(at: $0, east: 0, accuracy: accuracy, source: source))
                .latest.seedsState
        }
    }

    @Test("the first three epochs do not seed a state")
    func firstEpochs() {
        #expect(seeds([0, 1, 2, 3, 4], accuracy: 30) == [false, false, false, true, true])
    }

    @Test("a coarse receiver seeds after 15 s")
    func coarse() {
        #expect(
            seeds([0, 5, 10, 14.9, 15], accuracy: 31) == [false, false, false, false, true])
    }

    @Test("more than 30 s without a fix begin it again")
    func gap() {
        #expect(seeds([0, 1, 2, 3, 33], accuracy: 5).last == true)
        #expect(seeds([0, 1, 2, 3, 33.1], accuracy: 5).last == false)
    }

    @Test("fixes of a recording have none")
    func recording() {
        #expect(seeds([0], accuracy: 5, source: .recording) == [true])
    }

    @Test("opening the device begins it again")
    func opening() {
        var filter = FixFilter()
        for second in 0..<5 {
            _ = filter.ingest(track.fix(at: Double(second), east: 0, source: .gpsd))
        }
        filter.sourceOpened()
        let result = filter.ingest(track.fix(at: 5, east: 0, source: .gpsd))
        #expect(!result.latest.seedsState)
        #expect(result.latest.verdict == .ok)
    }
}

@Suite("Plausibility")
struct PlausibilityTests {
    let track = PlaneTrack()

    /// What becomes of a jump of `meters` in one second between fixes of 5 m.
    @Test(
        "a jump is bounded by the faster of two speeds, both accuracies and a margin",
        arguments: [
            // (0 + 4) x 1 + 2 x 10 + 10 = 34
            (33.9, 0.0 as Double?, FixVerdict.ok), (34.1, 0, .quarantined), (63.9, 30, .ok),
            (64.1, 30, .quarantined), (99.9, nil, .ok), (100.1, nil, .quarantined),
        ])
    func jump(meters: Double, speed: Double?, verdict: FixVerdict) {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        let result = filter.ingest(track.fix(at: 1, east: meters, speed: speed))
        #expect(result.latest.verdict == verdict)
    }

    @Test("late delivery does not make fixes look fast")
    func bunched() {
        var filter = FixFilter()
        var first = track.fix(at: 0, east: 0, speed: 30)
        first.uptime = Uptime(milliseconds: 990)
        _ = filter.ingest(first)
        #expect(filter.ingest(track.fix(at: 1, east: 60, speed: 30)).latest.verdict == .ok)
    }

    @Test("a single glitch is dropped and the track goes on")
    func glitch() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0.1))
        #expect(
            filter.ingest(track.fix(at: 1, east: 200, accuracy: 1.9, speed: 0)).latest.verdict
                == .quarantined)
        let back = filter.ingest(track.fix(at: 2, east: 0, speed: 0.1))
        #expect(back.latest.verdict == .ok)
        #expect(back.released.isEmpty)
    }

    @Test("ten seconds of agreeing fixes are the truth, and all of them are run in order")
    func release() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        for second in 1...10 {
            let result = filter.ingest(track.fix(at: Double(second), east: 500, speed: 0))
            #expect(result.latest.verdict == .quarantined)
        }
        let result = filter.ingest(track.fix(at: 11, east: 500, speed: 0))
        #expect(result.latest.verdict == .ok)
        #expect(result.released.map(\.verdict) == Array(repeating: .ok, count: 10))
        #expect(result.released.map(\.fix.uptime.milliseconds) == (1...10).map { $0 * 1000 })
    }

    @Test("four fixes are needed however long they take")
    func releaseCount() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        let verdicts = [1.0, 8, 15, 16].map {
            filter.ingest(track.fix(at: $0, east: 5000, speed: 0)).latest.verdict
        }
        #expect(verdicts == [.quarantined, .quarantined, .quarantined, .ok])
    }

    @Test(
        "three moving fixes suffice where displacement and Doppler agree",
        arguments: [(5.0, true), (6.9, true), (7.1, false), (2.9, false)])
    func doppler(speed: Double, isReleased: Bool) {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 5))
        var last: FixFilter.Result?
        // 5 m in each second, whatever the receiver says.
        for second in 60...62 {
            last = filter.ingest(
                track.fix(at: Double(second), east: 1200 + 5 * Double(second - 60), speed: speed))
        }
        #expect((last?.latest.verdict == .ok) == isReleased)
        #expect(last?.released.count == (isReleased ? 2 : 0))
    }

    @Test("fixes that contradict each other begin the chain anew, and nothing is locked out")
    func lockout() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        var accepted: Int?
        for second in 1...130 where accepted == nil {
            let east = second % 2 == 0 ? 5000.0 : -5000
            let result = filter.ingest(track.fix(at: Double(second), east: east, speed: 0))
            if result.latest.verdict == .ok { accepted = second }
        }
        #expect(accepted == 121)
    }

    @Test("a long chain is thinned out, not cut")
    func thinning() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        var released: [FilteredFix] = []
        for step in 1...200 where released.isEmpty {
            let result = filter.ingest(
                track.fix(at: Double(step) * 0.1, east: 500, speed: 0))
            released = result.released
        }
        #expect(released.count <= 64)
        #expect(released.first?.fix.uptime.milliseconds == 100)
    }

    @Test("after more than two minutes anything is plausible")
    func longGap() {
        var filter = FixFilter()
        _ = filter.ingest(track.fix(at: 0, east: 0, speed: 0))
        #expect(
            filter.ingest(track.fix(at: 120, east: 9000, speed: 0)).latest.verdict == .quarantined)
        #expect(filter.ingest(track.fix(at: 120.5, east: 9000, speed: 0)).latest.verdict == .ok)
    }

    @Test(
        "the first fix of a receiver waits for one that agrees with it, and both are run in order",
        arguments: [FixOrigin.nmea, .gpsd])
    func firstFix(source: FixOrigin) {
        var filter = FixFilter()
        filter.sourceOpened()
        let first = filter.ingest(track.fix(at: 0, east: 0, source: source))
        #expect(first.latest.verdict == .quarantined)
        #expect(filter.lastAccepted == nil)
        let second = filter.ingest(track.fix(at: 1, east: 3, source: source))
        #expect(second.latest.verdict == .ok)
        #expect(second.released.map(\.verdict) == [.ok])
        #expect(second.released.map(\.fix.uptime.milliseconds) == [0])
        #expect(filter.ingest(track.fix(at: 2, east: 6, source: source)).released.isEmpty)
    }

    @Test("a first fix far off, at the start or after an outage, is never accepted")
    func wrongFirst() {
        for outage in [0.0, 121, 5000] {
            var filter = FixFilter()
            var verdicts: [FixVerdict] = []
            if outage > 0 {
                for second in 0..<5 {
                    _ = filter.ingest(track.fix(at: Double(second), east: 0, source: .nmea))
                }
            }
            for (second, east) in [(6.0, 9000.0), (7, 0), (8, 0), (9, 0)] {
                let result = filter.ingest(
                    track.fix(at: outage + second, east: east, speed: 0, source: .nmea))
                verdicts.append(result.latest.verdict)
                #expect(!result.released.contains { ($0.fix.uptime.milliseconds / 1000) == 6 })
            }
            #expect(verdicts == [.quarantined, .quarantined, .ok, .ok])
        }
    }

    @Test("a receiver whose fixes never agree is believed again within four minutes")
    func neverAgreeing() {
        var filter = FixFilter()
        for second in 0..<5 {
            _ = filter.ingest(track.fix(at: Double(second), east: 0, speed: 0, source: .nmea))
        }
        var accepted: Int?
        for second in 5...300 where accepted == nil {
            let east = second % 2 == 0 ? 5000.0 : -5000
            let fix = track.fix(at: Double(second), east: east, speed: 0, source: .nmea)
            if filter.ingest(fix).latest.verdict == .ok { accepted = second }
        }
        #expect(accepted == 246)
    }
}
