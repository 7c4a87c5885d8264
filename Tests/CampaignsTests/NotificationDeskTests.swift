import Campaigns
import Geofencing
import TestSupport
import Testing
import Timekeeping

@Suite("Who is told what")
struct NotificationDeskTests {
    static func campaign(
        _ id: String = "hello", _ trigger: Transition.Kind = .enter, from: UTCTime? = nil,
        until: UTCTime? = nil, cooldownHours: Double? = nil, maxPerDay: Int? = nil
    ) -> Campaign {
        Campaign(
            id: id, version: 3, trigger: trigger, title: "T", validFrom: from, validUntil: until,
            cooldownHours: cooldownHours, maxPerDay: maxPerDay)
    }

    static func hours(_ start: Int, _ end: Int) -> WeeklyWindow? {
        WeeklyWindow(hours: .between(start: start * 60, end: end * 60))
    }

    @Test("only a campaign for the transition has something to say")
    func triggers() {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide("A", .exit) == .none)
        #expect(bench.decide("B") == .none)
        let decision = bench.decide()
        #expect(decision.word == "shown")
        #expect(decision.campaignID == "hello" && decision.campaignVersion == 1)
    }

    @Test("a cooldown lasts its hours to the millisecond, and says what is left of it")
    func cooldown() throws {
        var bench = DeskBench([DeskBench.fence()])
        #expect(bench.decide().word == "shown")
        bench.wait(hours: 3.2)
        let held = bench.decide()
        #expect(held.word == "cooldown")
        let basis = try #require(held.basis)
        #expect(basis.cooldownOf == "fence" && basis.cooldownSeconds == 86_400)
        #expect(basis.sinceShownSeconds == 11_520 && basis.remainingSeconds == 74_880)
        bench.wait(hours: 20.8)
        bench.uptimeMilliseconds -= 1
        #expect(bench.decide().word == "cooldown")
        bench.uptimeMilliseconds += 1
        #expect(bench.decide().word == "shown")
    }

    @Test("only what is shown claims a cooldown")
    func suppressedClaimsNothing() {
        // 23:30 in Berlin, then 08:30.
        var bench = DeskBench([DeskBench.fence(quiet: Self.hours(22, 6))])
        bench.utc = UTCTime(rfc3339: "2026-06-01T21:30:00Z")
        #expect(bench.decide().word == "quiet_hours")
        #expect(bench.desk.state.claims.isEmpty)
        bench.wait(hours: 9)
        #expect(bench.decide().word == "shown")
        #expect(bench.desk.state.claims.count == 1)
    }

    @Test("hours come from the fence, else from the rules; a campaign's own are waited for as well")
    func whoseHours() {
        var bench = DeskBench(
            [
                DeskBench.fence("A", cooldownHours: 2), DeskBench.fence("B"),
                DeskBench.fence(
                    "C", cooldownHours: 1,
                    campaigns: [
                        Self.campaign("slow", cooldownHours: 5), Self.campaign("quick"),
                        Self.campaign("bye", .exit),
                    ]),
            ], rules: NotificationRules(cooldownHours: 4))
        for fence in ["A", "B", "C"] { #expect(bench.decide(fence).word == "shown") }
        // The fence's cooldown holds for all of its campaigns.
        #expect(bench.decide("C", .exit).word == "cooldown")
        bench.wait(hours: 1)
        #expect(bench.decide("A").word == "cooldown")
        let second = bench.decide("C")
        #expect(second.word == "shown" && second.campaignID == "quick")
        bench.wait(hours: 1)
        #expect(bench.decide("A").word == "shown")
        #expect(bench.decide("B").word == "cooldown")
        bench.wait(hours: 2)
        #expect(bench.decide("B").word == "shown")
        bench.wait(hours: 1)
        #expect(bench.decide("C").campaignID == "slow")
    }

    @Test("a claim is kept as long as it can hold something back, and no longer")
    func kept() {
        let capped = Self.campaign("capped", maxPerDay: 2)
        var bench = DeskBench([
            DeskBench.fence("none", cooldownHours: 0),
            DeskBench.fence("short", cooldownHours: 1),
            DeskBench.fence(
                "own", cooldownHours: 1, campaigns: [Self.campaign("slow", cooldownHours: 60)]),
            DeskBench.fence("capped", cooldownHours: 0, campaigns: [capped]),
        ])
        func kept() -> [String] { bench.desk.state.claims.map(\.fenceID) }
        for fence in ["own", "capped", "short", "none"] {
            #expect(bench.decide(fence).word == "shown")
        }
        #expect(kept() == ["own", "capped", "short", "none"])
        // One without a cooldown gives way to the next.
        #expect(bench.decide("none").word == "shown")
        #expect(kept() == ["own", "capped", "short", "none"])
        bench.wait(hours: 1)
        #expect(bench.decide("none").word == "shown")
        #expect(kept() == ["own", "capped", "none"])
        bench.wait(hours: 46.9)
        #expect(bench.decide("none").word == "shown")
        #expect(kept() == ["own", "capped", "none"])
        bench.wait(hours: 0.1)
        #expect(bench.decide("none").word == "shown")
        #expect(kept() == ["own", "none"])
        bench.wait(hours: 12)
        #expect(bench.decide("none").word == "shown")
        #expect(kept() == ["none"])
        for _ in 0..<300 { #expect(bench.decide("none").word == "shown") }
        #expect(kept() == ["none"])
    }

    @Test("no cooldown is no cooldown")
    func zero() {
        var bench = DeskBench([DeskBench.fence(cooldownHours: 0)])
        for _ in 0..<3 { #expect(bench.decide().word == "shown") }
    }

    @Test("content is shown while it is valid, and not once it has run out unseen")
    func validity() {
        let start = DeskBench.start
        let campaign = Self.campaign(
            from: start.advanced(byMilliseconds: 3_600_000),
            until: start.advanced(byMilliseconds: 7_200_000))
        var bench = DeskBench([DeskBench.fence(cooldownHours: 0, campaigns: [campaign])])
        #expect(bench.decide().word == "not_yet_valid")
        bench.wait(hours: 1)
        #expect(bench.decide().word == "shown")
        bench.wait(hours: 0.999)
        #expect(bench.decide().word == "shown")
        let before = bench.now
        bench.wait(hours: 0.001)
        #expect(bench.decide().word == "expired")
        // It occurred in time and is decided too late, after an outage.
        let late = NotificationOccasion(
            fenceID: "A", kind: .enter, occurred: before, detected: bench.now)
        #expect(bench.desk.decide([late], at: bench.now).map(\.word) == ["expired"])
        bench.utc = nil
        #expect(bench.decide().word == "time_unknown")
    }

    @Test("hours are those of the fence's zone when it happened")
    func zones() throws {
        let quiet = Self.hours(22, 6)
        var bench = DeskBench(
            [
                DeskBench.fence("berlin", cooldownHours: 0, quiet: quiet),
                DeskBench.fence(
                    "york", cooldownHours: 0, timezone: "America/New_York", quiet: quiet),
                DeskBench.fence("utc", cooldownHours: 0, timezone: nil, quiet: quiet),
                DeskBench.fence(
                    "atlantis", cooldownHours: 0, timezone: "Europe/Atlantis", quiet: quiet),
                DeskBench.fence("open", cooldownHours: 0, timezone: "Europe/Atlantis"),
            ])
        bench.utc = UTCTime(rfc3339: "2026-06-01T21:30:00Z")
        let decision = bench.decide("berlin")
        #expect(decision.word == "quiet_hours")
        #expect(decision.basis?.localTime == "mon 23:30")
        #expect(decision.basis?.timezone == "Europe/Berlin")
        #expect(decision.basis?.window == "22:00-06:00")
        #expect(bench.decide("york").word == "shown")
        #expect(bench.decide("utc").word == "shown")
        #expect(bench.decide("atlantis").word == "zone_unknown")
        #expect(bench.decide("open").word == "shown")
        #expect(bench.desk.book.unknownZones == ["Europe/Atlantis"])
    }

    @Test("a fence's quiet hours replace those of the configuration, and windows are alternatives")
    func windows() throws {
        let morning = try #require(Self.hours(8, 10))
        let evening = try #require(Self.hours(18, 20))
        var bench = DeskBench(
            [
                DeskBench.fence("rules", cooldownHours: 0),
                DeskBench.fence("own", cooldownHours: 0, quiet: Self.hours(0, 5)),
                DeskBench.fence("windows", cooldownHours: 0, windows: [morning, evening]),
            ], rules: NotificationRules(quietHours: Self.hours(12, 14)))
        func words(_ utc: String) -> [String] {
            bench.utc = UTCTime(rfc3339: utc)
            return ["rules", "own", "windows"].map { bench.decide($0).word }
        }
        #expect(words("2026-06-01T11:00:00Z") == ["quiet_hours", "shown", "quiet_hours"])
        #expect(words("2026-06-01T07:00:00Z") == ["shown", "shown", "shown"])
        #expect(words("2026-06-01T17:59:59Z") == ["shown", "shown", "shown"])
        #expect(words("2026-06-01T18:00:00Z") == ["shown", "shown", "window"])
        #expect(words("2026-06-01T01:00:00Z") == ["shown", "quiet_hours", "window"])
    }

    @Test("an unknown time suppresses only where hours or validity need it")
    func unknownTime() {
        var bench = DeskBench([
            DeskBench.fence("plain", cooldownHours: 0),
            DeskBench.fence("quiet", cooldownHours: 0, quiet: Self.hours(22, 6)),
            DeskBench.fence(
                "window", cooldownHours: 0, windows: [Self.hours(8, 18)].compactMap { $0 }),
            DeskBench.fence(
                "cap", cooldownHours: 0, campaigns: [Self.campaign("cap", maxPerDay: 2)]),
        ])
        bench.utc = nil
        #expect(bench.decide("plain").word == "shown")
        #expect(bench.decide("quiet").word == "time_unknown")
        #expect(bench.decide("window").word == "time_unknown")
        for word in ["shown", "shown", "cap"] {
            bench.wait(hours: 1)
            #expect(bench.decide("cap").word == word)
        }
    }

    @Test("hours that cannot be read may be quiet ones")
    func unreadable() {
        var fence = DeskBench.fence()
        fence.isReadable = false
        var bench = DeskBench([fence])
        #expect(bench.decide().word == "unreadable_rules")
    }

    @Test("a cap counts the days of the fence's zone, over all fences of the campaign")
    func cap() throws {
        let campaigns = [Self.campaign(maxPerDay: 2)]
        var bench = DeskBench([
            DeskBench.fence("A", cooldownHours: 0, campaigns: campaigns),
            DeskBench.fence("B", cooldownHours: 0, campaigns: campaigns),
        ])
        // 23:00 in Berlin.
        bench.utc = UTCTime(rfc3339: "2026-06-01T21:00:00Z")
        #expect(bench.decide("A").word == "shown")
        #expect(bench.decide("B").word == "shown")
        bench.wait(hours: 0.99)
        let held = bench.decide("A")
        #expect(held.word == "cap")
        #expect(held.basis?.shownToday == 2 && held.basis?.maxPerDay == 2)
        bench.wait(hours: 0.01)
        #expect(["A", "B", "A"].map { bench.decide($0).word } == ["shown", "shown", "cap"])
    }

    @Test("a start inside is told by its policy, and an exit that nobody made is not")
    func notReal() {
        var bench = DeskBench([
            DeskBench.fence(
                cooldownHours: 0, campaigns: [Self.campaign(), Self.campaign("bye", .exit)])
        ])
        #expect(bench.decide(mayNotify: false).word == "initial_enter")
        #expect(bench.decide().word == "shown")
        for reason in ["gap", "fence_deleted", "fence_disabled", "fence_expired", "fence_changed"] {
            #expect(bench.decide("A", .exit, reason: reason).word == reason)
        }
        #expect(bench.decide("A", .exit).word == "shown")
    }

    @Test(
        "one notification of a fix: the greatest priority, then the first; the others claim nothing"
    )
    func oneOfAFix() {
        var bench = DeskBench([
            DeskBench.fence("low", priority: -1), DeskBench.fence("first", priority: 5),
            DeskBench.fence("second", priority: 5),
        ])
        let decisions = bench.decide(together: ["low", "first", "second", "other"])
        #expect(decisions.map(\.word) == ["burst", "shown", "burst", "none"])
        #expect(decisions[0].basis?.outrankedBy == "first")
        #expect(bench.desk.state.claims.map(\.fenceID) == ["first"])
        #expect(bench.decide("low").word == "shown", "the next fix is another one")
    }

    @Test("what is suppressed anyhow does not outrank")
    func suppressedDoesNotOutrank() {
        var bench = DeskBench([DeskBench.fence("low"), DeskBench.fence("high", priority: 9)])
        #expect(bench.decide("high").word == "shown")
        #expect(bench.decide(together: ["low", "high"]).map(\.word) == ["shown", "cooldown"])
    }

    @Test("fixes of one input are decided one by one")
    func twoFixes() {
        var bench = DeskBench([DeskBench.fence("A"), DeskBench.fence("B")])
        let first = bench.now
        bench.wait(hours: 0.001)
        let occasions = [
            NotificationOccasion(fenceID: "A", kind: .enter, occurred: first, detected: first),
            NotificationOccasion(
                fenceID: "B", kind: .enter, occurred: bench.now, detected: bench.now),
        ]
        #expect(bench.desk.decide(occasions, at: bench.now).map(\.word) == ["shown", "shown"])
    }

    @Test("within a burst only a greater priority is shown")
    func burst() {
        var bench = DeskBench(
            (0..<5).map { DeskBench.fence("f\($0)", priority: $0) },
            rules: NotificationRules(burstSeconds: 60))
        #expect(bench.decide("f2").word == "shown")
        bench.wait(hours: 30 / 3600)
        #expect(bench.decide("f1").word == "burst")
        #expect(bench.decide("f3").word == "shown")
        #expect(bench.decide("f0").word == "burst")
        bench.wait(hours: 60 / 3600)
        #expect(bench.decide("f0").word == "shown")
    }
}
