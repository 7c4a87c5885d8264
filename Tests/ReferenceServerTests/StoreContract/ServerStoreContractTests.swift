import Foundation
import TestSupport
import Testing
import Timekeeping
import WebServer

@testable import ReferenceServer

/// What every `ServerStore` promises, asked of the protocol alone. Its parts are extensions.
@Suite("The contract of a store")
struct ServerStoreContractTests {
    @Test("workspaces have one name each, a plan and its limits", arguments: StoreKind.allCases)
    func workspaces(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        #expect(
            throwsError(.conflict("first")) {
                _ = try bench.store.createWorkspace(
                    WorkspaceDraft(name: "first", plan: .trial), now: bench.now)
            })
        let trial = try bench.store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .trial), now: bench.now)
        #expect(trial.trialEndsAt == bench.later(days: 30) && trial.limits.keys == 2)
        #expect(try bench.reopened().workspaces().map(\.name).sorted() == ["first", "second"])
        let limits = WorkspaceLimits(fences: 7, keys: 3, devices: nil, eventsPerMonth: nil)
        try bench.store.setPlan(.production, limits: limits, of: trial.id, now: bench.now)
        let changed = try #require(try bench.store.workspace(trial.id))
        #expect(changed.plan == .production && changed.trialEndsAt == nil)
        #expect(changed.limits == limits)
        #expect(try bench.store.workspace(99) == nil)
    }

    @Test(
        "keys are found by hash, counted, and revoked by their own workspace alone",
        arguments: StoreKind.allCases)
    func keys(kind: StoreKind) throws {
        let limits = WorkspaceLimits(fences: 1, keys: 2, devices: nil, eventsPerMonth: nil)
        let bench = try StoreBench(kind, limits: limits)
        let other = try bench.store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .production), now: bench.now
        ).id
        let issued = try (0..<3).map { _ in try IssuedKey(.live) }
        for key in issued.prefix(2) {
            _ = try bench.store.addKey(key.draft, to: bench.workspace, now: bench.now)
        }
        #expect(
            throwsError(.limit(.keys(2))) {
                _ = try bench.store.addKey(issued[2].draft, to: bench.workspace, now: bench.now)
            })
        // Neither an administrator's nor a device's own key counts.
        for draft in [
            try IssuedKey(.admin).draft, try IssuedKey(.live, deviceID: "van-7").draft,
        ] {
            _ = try bench.store.addKey(draft, to: bench.workspace, now: bench.now)
        }
        let found = try #require(try bench.store.key(hash: issued[0].draft.hash))
        #expect(found.workspace == bench.workspace && found.scope == .live)
        #expect(found.lastFour == String(issued[0].text.suffix(4)) && found.revokedAt == nil)
        #expect(try bench.store.key(hash: issued[2].draft.hash) == nil)
        #expect(try bench.store.revokeKey(found.id, of: other, now: bench.now) == false)
        #expect(try bench.store.key(hash: found.hash)?.revokedAt == nil)
        #expect(try bench.store.revokeKey(found.id, of: bench.workspace, now: bench.now))
        #expect(try bench.reopened().key(hash: found.hash)?.revokedAt == bench.now)
        // A revoked key makes room.
        _ = try bench.store.addKey(issued[2].draft, to: bench.workspace, now: bench.now)
        #expect(try bench.store.keys(of: bench.workspace).count == 5)
        #expect(try bench.store.keys(of: other).isEmpty)
    }

    @Test("a code gives one key to one device, within its time", arguments: StoreKind.allCases)
    func provisioning(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        func exchange(
            _ code: ProvisionCode, _ device: String, at time: UTCTime
        ) throws -> Result<KeyRecord, ProvisionRefusal> {
            let draft = try IssuedKey(.live, deviceID: device).draft
            return try bench.store.provision(
                code.hash, device: device, key: { _ in draft }, now: time)
        }
        let bound = try ProvisionCode(deviceID: "van-7")
        let free = try ProvisionCode()
        let unknown = try ProvisionCode()
        for code in [bound, free] {
            try bench.store.addProvisionCode(code, to: bench.workspace, now: bench.now)
        }
        #expect(try exchange(unknown, "van-7", at: bench.now) == .failure(.unknown))
        #expect(try exchange(bound, "van-8", at: bench.now) == .failure(.otherDevice))
        let key = try exchange(bound, "van-7", at: bench.later(seconds: 86_399)).get()
        #expect(key.deviceID == "van-7" && key.workspace == bench.workspace)
        #expect(try bench.store.key(hash: key.hash)?.id == key.id)
        #expect(try exchange(bound, "van-7", at: bench.now) == .failure(.used))
        #expect(try exchange(free, "van-9", at: bench.later(days: 1)) == .failure(.expired))
        // What is over is forgotten, what is not stays.
        try bench.store.deleteExpired(before: bench.later(seconds: 60), now: bench.now)
        #expect(try exchange(free, "van-9", at: bench.later(days: 1)) == .failure(.expired))
        try bench.store.deleteExpired(before: bench.later(days: 2), now: bench.now)
        #expect(try exchange(free, "van-9", at: bench.later(days: 1)) == .failure(.unknown))
    }

    @Test("of many who use one code at once one gets the key", arguments: StoreKind.allCases)
    func provisioningRace(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let code = try ProvisionCode()
        try bench.store.addProvisionCode(code, to: bench.workspace, now: bench.now)
        let drafts = try (0..<8).map { try IssuedKey(.live, deviceID: "van-\($0)").draft }
        let keys = Gathered<Int64>()
        DispatchQueue.concurrentPerform(iterations: drafts.count) { index in
            let draft = drafts[index]
            let outcome = try? bench.store.provision(
                code.hash, device: "van-\(index)", key: { _ in draft }, now: bench.now)
            if case .success(let key)? = outcome { keys.add([key.id]) }
        }
        #expect(keys.all.count == 1)
        #expect(try bench.store.keys(of: bench.workspace).count == 1)
    }

    @Test(
        "an answer is kept under its key, for its workspace, until its time is over",
        arguments: StoreKind.allCases)
    func keptAnswers(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let other = try bench.store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .production), now: bench.now
        ).id
        func reserve(_ workspace: Int64) throws -> KeptAnswer? {
            try bench.store.reserveAnswer(
                "k", hash: [1, 2], in: workspace, now: bench.now)
        }
        #expect(try reserve(bench.workspace) == nil)
        let begun = try #require(try reserve(bench.workspace))
        #expect(begun.hash == [1, 2] && begun.response == nil)
        let response = Response(
            status: 201, headers: ["Content-Type": "application/json"], body: Array("{}".utf8))
        try bench.store.keepAnswer(response, for: "k", in: bench.workspace)
        let kept = try #require(try reserve(bench.workspace)?.response)
        #expect(kept.status == 201 && kept.body == Array("{}".utf8))
        #expect(try reserve(other) == nil)
        try bench.store.forgetAnswer("k", in: bench.workspace)
        #expect(try reserve(bench.workspace) == nil)
        try bench.store.deleteExpired(before: bench.later(days: 9), now: bench.later(days: 9))
        #expect(try reserve(bench.workspace) == nil)
    }

    @Test(
        "the number of commits is another one after every commit, whoever made it",
        arguments: StoreKind.allCases)
    func commitNumbers(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let other = try bench.reopened()
        let key = try IssuedKey(.live)
        let id = try bench.store.addKey(key.draft, to: bench.workspace, now: bench.now).id
        var numbers = [try bench.store.commitNumber()]
        func isNew() throws -> Bool {
            let number = try bench.store.commitNumber()
            defer { numbers.append(number) }
            return !numbers.contains(number)
        }
        #expect(try bench.store.commitNumber() == numbers[0])
        let before = numbers[0]
        #expect(try bench.store.workspace(bench.workspace, at: before)?.plan == .production)
        #expect(try bench.store.key(hash: key.draft.hash, at: before)?.revokedAt == nil)
        // What is kept of an earlier number is never given out under a later one.
        let limits = WorkspaceLimits(fences: 7, keys: 3, devices: nil, eventsPerMonth: nil)
        for (round, store) in [bench.store, other].enumerated() {
            try store.setPlan(
                round == 0 ? .trial : .production, limits: limits, of: bench.workspace,
                now: bench.now)
            #expect(try isNew())
            let room = try bench.store.workspace(bench.workspace, at: numbers.last)
            #expect(room?.plan == (round == 0 ? .trial : .production))
            let text = "{\"fence_limit\": \(round)}"
            _ = try store.putConfiguration(Array(text.utf8), of: bench.workspace)
            #expect(try isNew())
            let kept = try bench.store.configuration(of: bench.workspace, at: numbers.last)
            #expect(kept.document == Array(text.utf8))
            try bench.put(try bench.draft("depot", radius: 100 + Double(round)))
            #expect(try isNew())
            try bench.ingest([StoreBench.Sent(id: "e-\(round)", sequence: Int64(round) + 1)])
            #expect(try isNew())
        }
        #expect(try other.revokeKey(id, of: bench.workspace, now: bench.now))
        #expect(try isNew())
        let found = try bench.store.key(hash: key.draft.hash, at: numbers.last)
        #expect(found?.revokedAt == bench.now)
        #expect(try bench.store.commitNumber() == numbers.last)
    }

    @Test("it is ready, and says so without changing anything", arguments: StoreKind.allCases)
    func readiness(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.store.checkReadiness()
        #expect(try bench.store.workspaces().count == 1)
    }
}
