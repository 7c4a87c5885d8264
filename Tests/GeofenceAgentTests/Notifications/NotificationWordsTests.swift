import Campaigns
import Delivery
import Geofencing
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import GeofenceAgent

@Suite("What explain says of a notification")
struct NotificationWordsTests {
    static func basis(_ change: (inout NotificationBasis) -> Void) -> NotificationBasis {
        var basis = NotificationBasis()
        change(&basis)
        return basis
    }

    struct Row: Sendable {
        var outcome: NotificationDecision.Outcome
        var reason: String?
        var basis: NotificationBasis?
        var words: String
    }

    static let rows: [Row] = [
        Row(outcome: .shown, words: "notification of campaign c: shown"),
        Row(
            outcome: .suppressed, reason: "cooldown",
            basis: basis {
                $0.cooldownOf = "fence"
                $0.cooldownSeconds = 86_400
                $0.sinceShownSeconds = 11_520
                $0.remainingSeconds = 74_880
            },
            words: "notification of campaign c: suppressed, cooldown 24 h, shown 3 h 12 min ago: "
                + "20 h 48 min left"),
        Row(
            outcome: .suppressed, reason: "cooldown",
            basis: basis {
                $0.cooldownOf = "campaign"
                $0.cooldownSeconds = 3_600
                $0.sinceShownSeconds = 0
                $0.remainingSeconds = 3_600
            },
            words: "notification of campaign c: suppressed, cooldown of the campaign 1 h, "
                + "shown 0 s ago: 1 h left"),
        Row(
            outcome: .suppressed, reason: "quiet_hours",
            basis: basis {
                $0.localTime = "mon 23:14"
                $0.timezone = "Europe/Berlin"
                $0.window = "22:00-06:00"
            },
            words: "notification of campaign c: suppressed, quiet hours 22:00-06:00, "
                + "and it was mon 23:14 in Europe/Berlin"),
        Row(
            outcome: .suppressed, reason: "cap",
            basis: basis {
                $0.shownToday = 2
                $0.maxPerDay = 2
                $0.timezone = "UTC"
            },
            words: "notification of campaign c: suppressed, shown 2 times on that day in UTC, "
                + "at most 2"),
        Row(
            outcome: .suppressed, reason: "burst", basis: basis { $0.outrankedBy = "B" },
            words: "notification of campaign c: suppressed, fence B was told instead"),
        Row(
            outcome: .suppressed, reason: "fence_deleted",
            words: "notification of campaign c: suppressed, nobody left: fence_deleted"),
    ]

    @Test("the arithmetic is spelled out, also after a way over the wire", arguments: rows)
    func words(_ row: Row) throws {
        var draft = SampleEvents.draft(.enter, second: 1)
        draft.notification = NotificationDecision(
            outcome: row.outcome, reason: row.reason, campaignID: "c", campaignVersion: 1,
            basis: row.basis)
        let event = Event(
            clientEventID: "id", position: QueuePosition(epoch: "e", sequence: 1), content: draft)
        let bytes = try WireCoding.encode(WireEvent(event))
        let wire = try WireCoding.decode(WireEvent.self, from: bytes)
        #expect(EventReport.notificationWords(wire) == [row.words])
    }

    @Test("every reason has words of its own")
    func reasons() throws {
        var seen: Set<String> = []
        for reason in NotificationDecision.Reason.allCases {
            var draft = SampleEvents.draft(.enter, second: 1)
            draft.notification = NotificationDecision(
                outcome: .suppressed, reason: reason.rawValue, campaignID: "c")
            let event = Event(
                clientEventID: "id", position: QueuePosition(epoch: "e", sequence: 1),
                content: draft)
            seen.formUnion(EventReport.notificationWords(WireEvent(event)))
        }
        #expect(seen.count == NotificationDecision.Reason.allCases.count)
        #expect(!seen.contains { $0.contains("nobody left") })
    }

    @Test("a server that thinks otherwise is named, and nothing to tell is nothing to say")
    func server() throws {
        let event = Event(
            clientEventID: "id", position: QueuePosition(epoch: "e", sequence: 1),
            content: SampleEvents.draft(.enter, second: 1))
        var wire = WireEvent(event)
        #expect(EventReport.notificationWords(wire).isEmpty)
        wire.serverNotificationVerdict = "allowed"
        #expect(EventReport.notificationWords(wire) == ["the server thinks otherwise: allowed"])
    }
}
