import Campaigns
import Geodesy
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

extension ServerStoreContractTests {
    private func nearest(
        _ bench: StoreBench, pool: Int = 10, device: String = "van-7", user: String? = nil,
        at time: UTCTime? = nil
    ) throws -> [String] {
        let position = try #require(Coordinate(latitude: 52, longitude: 13))
        return try bench.store.nearest(
            position, pool: pool, for: FenceAudienceMember(deviceID: device, userID: user),
            in: bench.workspace, now: time ?? bench.now
        ).fences.map(\.fence.id)
    }

    @Test(
        "a fence is written once per content, and its version counts the contents",
        arguments: StoreKind.allCases)
    func fenceVersions(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        #expect(try bench.put(bench.draft("a")).created == ["a"])
        #expect(try bench.put(bench.draft("a")).unchanged == ["a"])
        let first = try #require(try bench.store.fence("a", of: bench.workspace))
        let changes = try bench.put(bench.draft("a", radius: 120) + bench.draft("b"))
        #expect(changes.updated == ["a"] && changes.created == ["b"] && changes.total == 2)
        let second = try #require(try bench.reopened().fence("a", of: bench.workspace))
        #expect(first.version == 1 && second.version == 2 && first.tag != second.tag)
        #expect(try bench.put(bench.draft("c"), replacingAll: true).deleted.sorted() == ["a", "b"])
        #expect(try bench.store.deleteFence("c", of: bench.workspace))
        #expect(try bench.store.deleteFence("c", of: bench.workspace) == false)
        #expect(try bench.store.fence("c", of: bench.workspace) == nil)
        #expect(try nearest(bench).isEmpty)
    }

    @Test("fences are all written or none", arguments: StoreKind.allCases)
    func fenceLimit(kind: StoreKind) throws {
        let limits = WorkspaceLimits(fences: 2, keys: 1, devices: nil, eventsPerMonth: nil)
        let bench = try StoreBench(kind, limits: limits)
        try bench.put(bench.draft("a"))
        #expect(
            throwsError(.limit(.fences(2))) {
                try bench.put(
                    bench.draft("a", radius: 150) + bench.draft("b") + bench.draft("c"))
            })
        let fences = try bench.store.fences(of: bench.workspace, after: nil, limit: 10)
        #expect(fences.map(\.id) == ["a"] && fences.map(\.version) == [1])
        // Replacing counts what is there afterwards.
        try bench.put(bench.draft("b") + bench.draft("c"), replacingAll: true)
        #expect(try bench.store.usage(of: bench.workspace, now: bench.now).fences == 2)
    }

    @Test("lists go on after the last id", arguments: StoreKind.allCases)
    func fencePages(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.put((1...5).flatMap { try bench.draft("f\($0)") })
        var seen: [String] = []
        while true {
            let page = try bench.store.fences(of: bench.workspace, after: seen.last, limit: 2)
            if page.isEmpty { break }
            seen += page.map(\.id)
        }
        #expect(seen == ["f1", "f2", "f3", "f4", "f5"])
    }

    @Test(
        "the nearest come by edge distance, then by id, without the expired",
        arguments: StoreKind.allCases)
    func nearestOrder(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.put(
            bench.draft("far", lat: 52.1) + bench.draft("b", lat: 52.01)
                + bench.draft("a", lat: 52.01) + bench.draft("wide", lat: 52.02, radius: 2_000)
                + bench.draft("gone", more: ", \"expires_at\": \"2026-02-01T12:00:00Z\""))
        #expect(try nearest(bench) == ["gone", "wide", "a", "b", "far"])
        #expect(try nearest(bench, at: bench.later(days: 2)) == ["wide", "a", "b", "far"])
        let position = try #require(Coordinate(latitude: 52, longitude: 13))
        let member = FenceAudienceMember(deviceID: "van-7", userID: nil)
        let cut = try bench.store.nearest(
            position, pool: 3, for: member, in: bench.workspace, now: bench.now)
        #expect(cut.fences.map(\.fence.id) == ["gone", "wide", "a"])
        let distance = try #require(cut.nextDistanceMeters)
        #expect(distance > 900 && distance < 1_100)
        let all = try bench.store.nearest(
            position, pool: 5, for: member, in: bench.workspace, now: bench.now)
        #expect(all.nextDistanceMeters == nil)
    }

    @Test(
        "neighbours are all fences of the workspace by edge distance, whomever they are for",
        arguments: StoreKind.allCases)
    func neighbors(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let other = try bench.store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .production), now: bench.now
        ).id
        try bench.put(
            bench.draft("far", lat: 52.1) + bench.draft("here", radius: 500)
                + bench.draft(
                    "gone", lat: 52.01, more: ", \"expires_at\": \"2020-01-01T00:00:00Z\"")
                + bench.draft(
                    "ann", lat: 52.02, more: ", \"audience\": {\"user_ids\": [\"ann\"]}"))
        let position = try #require(Coordinate(latitude: 52, longitude: 13))
        func found(_ count: Int, in workspace: Int64) throws -> [FenceNeighbor] {
            try bench.store.neighbors(of: position, count: count, in: workspace)
        }
        let all = try found(10, in: bench.workspace)
        #expect(all.map(\.id) == ["here", "gone", "ann", "far"])
        #expect(all.first?.distanceMeters == 0)
        #expect(all.dropFirst().first.map { (1_000...1_030).contains($0.distanceMeters) } == true)
        #expect(try found(2, in: bench.workspace) == Array(all.prefix(2)))
        #expect(try found(2, in: other).isEmpty)
    }

    @Test("a fence with an audience is for its members alone", arguments: StoreKind.allCases)
    func audience(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        func audience(_ text: String) -> String { ", \"audience\": {\(text)}" }
        try bench.put(
            bench.draft("all")
                + bench.draft("ann", more: audience("\"user_ids\": [\"ann\"]"))
                + bench.draft("van", more: audience("\"device_ids\": [\"van-8\"]"))
                + bench.draft("tag", more: audience("\"tags\": [\"cold\"]")))
        #expect(try nearest(bench) == ["all"])
        #expect(try nearest(bench, user: "ann") == ["all", "ann"])
        #expect(try nearest(bench, device: "van-8") == ["all", "van"])
        try bench.store.heartbeat(
            DeviceReport(userID: nil, agent: nil), from: "van-7", of: bench.workspace,
            now: bench.now)
        let before = try bench.store.configuration(of: bench.workspace).revision
        #expect(
            try bench.store.setTags(["cold"], of: "van-7", in: bench.workspace)?.tags == ["cold"])
        #expect(try bench.store.configuration(of: bench.workspace).revision > before)
        #expect(try nearest(bench) == ["all", "tag"])
        let assigned = try bench.store.fences(
            assignedTo: FenceAudienceMember(deviceID: "van-7", userID: "ann"),
            of: bench.workspace, after: nil, limit: 10, now: bench.now)
        #expect(assigned.map(\.id) == ["ann", "tag"])
        #expect(try bench.store.setTags([], of: "nobody", in: bench.workspace) == nil)
    }

    @Test("the configuration's revision counts its changes", arguments: StoreKind.allCases)
    func configuration(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let before = try bench.store.configuration(of: bench.workspace)
        #expect(before.document == nil)
        let written = try bench.store.putConfiguration(
            Array("{\"a\":1}".utf8), of: bench.workspace)
        #expect(written.revision > before.revision)
        #expect(try bench.reopened().configuration(of: bench.workspace) == written)
    }

    @Test(
        "a campaign stands in the documents of the fences that carry it",
        arguments: StoreKind.allCases)
    func campaigns(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.put(bench.draft("a") + bench.draft("b"))
        func draft(_ title: String, _ fences: [String]?) throws -> CampaignDraft {
            let text = "{\"id\":\"c\",\"trigger\":\"enter\",\"title\":\"\(title)\"}"
            return CampaignDraft(
                try WireCoding.decode(WireCampaign.self, from: Array(text.utf8)), fenceIDs: fences)
        }
        func carries(_ fence: String, _ title: String) throws -> Bool {
            let found = try #require(try bench.store.fence(fence, of: bench.workspace))
            return String(decoding: found.document, as: UTF8.self).contains("\"\(title)\"")
        }
        let made = try bench.store.putCampaign(
            draft("one", ["a"]), mustBeNew: true, in: bench.workspace, now: bench.now)
        #expect(made.isNew && made.campaign.fenceIDs == ["a"] && made.campaign.version == 1)
        #expect(try carries("a", "one") && !carries("b", "one"))
        #expect(
            throwsError(.conflict("c")) {
                _ = try bench.store.putCampaign(
                    draft("x", nil), mustBeNew: true, in: bench.workspace, now: bench.now)
            })
        #expect(
            throwsError(.unknownFence(index: 1)) {
                _ = try bench.store.putCampaign(
                    draft("x", ["a", "nowhere"]), mustBeNew: false, in: bench.workspace,
                    now: bench.now)
            })
        let changed = try bench.store.putCampaign(
            draft("two", ["b"]), mustBeNew: false, in: bench.workspace, now: bench.now)
        #expect(!changed.isNew && changed.campaign.version == 2)
        #expect(try carries("b", "two") && !carries("a", "one") && !carries("a", "two"))
        let listed = try bench.store.campaigns(of: bench.workspace, after: nil, limit: 10)
        #expect(listed == [changed.campaign])
        #expect(try bench.store.campaign("c", of: bench.workspace) == changed.campaign)
        #expect(try bench.store.campaign("d", of: bench.workspace) == nil)
        #expect(try bench.store.campaign("c", of: bench.workspace + 1) == nil)
        #expect(try bench.store.deleteCampaign("c", of: bench.workspace))
        #expect(try !carries("b", "two"))
        #expect(try bench.store.deleteCampaign("c", of: bench.workspace) == false)
        #expect(try bench.store.campaign("c", of: bench.workspace) == nil)
    }

    @Test(
        "what was allowed is told with its event, for its own device alone",
        arguments: StoreKind.allCases)
    func claims(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.put(bench.draft("depot"))
        let text = "{\"id\":\"c\",\"trigger\":\"enter\",\"title\":\"t\"}"
        let wire = try WireCoding.decode(WireCampaign.self, from: Array(text.utf8))
        _ = try bench.store.putCampaign(
            CampaignDraft(wire, fenceIDs: ["depot"]), mustBeNew: true, in: bench.workspace,
            now: bench.now)
        for (number, device) in ["van-7", "van-8", "van-7"].enumerated() {
            var batch = try bench.batch(
                [
                    StoreBench.Sent(
                        id: "e-\(number)", sequence: Int64(number) + 1,
                        second: Int64(number) * 864_000)
                ], device: device)
            batch.events[0].notification = NotificationDecision(outcome: .shown, campaignID: "c")
            let outcomes = try bench.store.ingest(batch, into: bench.workspace, now: bench.now)
            #expect(outcomes == [.accepted(.allowed)])
        }
        func claims(_ device: String, limit: Int = 2) throws -> [StoredClaim] {
            var found: [StoredClaim] = []
            var cursor: Int64?
            repeat {
                let piece = try bench.store.claimPiece(
                    ofDevice: device, of: bench.workspace, after: cursor, limit: limit)
                found += piece.claims
                cursor = piece.next
            } while cursor != nil
            return found
        }
        let own = try claims("van-7")
        #expect(own.map(\.campaignID) == ["c", "c"] && own.map(\.fenceID) == ["depot", "depot"])
        #expect(own.map(\.occurredAt) == [bench.now, bench.later(days: 20)])
        #expect(try own.map(\.receipt) == bench.events { $0.deviceID = "van-7" }.map(\.receipt))
        #expect(try claims("van-8").count == 1 && claims("van-8", limit: 1).count == 1)
        #expect(try claims("van-9").isEmpty)
    }
}
