import Foundation
import SQLite
import Synchronization
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Devices that only ask")
struct DeviceRegisterTests {
    private static let questions = [
        "/v1/fences/nearest?lat=52&lon=13", "/v1/fences?assigned=me", "/v1/config",
    ]

    private func fixture() throws -> ServerFixture {
        try ServerFixture(
            limits: WorkspaceLimits(fences: 100, keys: 25, devices: 1, eventsPerMonth: nil))
    }

    private func listed(_ fixture: ServerFixture) -> [String] {
        (fixture.admin("GET", "/v1/admin/devices")["devices"]?.array ?? [])
            .compactMap { $0["device_id"]?.string }
    }

    @Test(
        "a new one beyond the limit is 403 on every route, a known one goes on",
        arguments: questions)
    func limit(question: String) throws {
        let fixture = try fixture()
        #expect(fixture.device("GET", question).status == 200)
        #expect(listed(fixture) == ["van-7"])
        for other in Self.questions {
            let answer = fixture.device("GET", other, id: "van-8")
            #expect(answer.status == 403 && answer.code == "device_limit", "\(other)")
        }
        let post = fixture.device(
            "POST", "/v1/fences/nearest", "{\"lat\": 1, \"lon\": 2}", id: "van-8")
        #expect(post.status == 403)
        #expect(fixture.device("GET", question).status == 200)
        #expect(listed(fixture) == ["van-7"])
    }

    @Test("it is written down once a day, and not at each request")
    func writes() throws {
        let fixture = try fixture()
        let question = Self.questions[0]
        #expect(fixture.device("GET", question).status == 200)
        let commits = try fixture.store.commitNumber()
        for _ in 0..<5 { #expect(fixture.device("GET", question).status == 200) }
        #expect(fixture.device("GET", question, id: "van-8").status == 403)
        #expect(try fixture.store.commitNumber() == commits)
        fixture.clock.advance(seconds: 86_400)
        #expect(fixture.device("GET", question).status == 200)
        let device = fixture.admin("GET", "/v1/admin/devices/van-7")
        #expect(device["last_seen_at"]?.string == fixture.clock.wallClock.time.rfc3339)
    }

    @Test("many new ones at once are served, while as many as may wait for the database")
    func manyNew() throws {
        let fixture = try ServerFixture()
        let other = try Connection(path: fixture.store.path)
        try other.execute("BEGIN IMMEDIATE")
        let statuses = Statuses()
        let count = DeviceRegister.writing + 3
        for number in 0..<count {
            Thread.detachNewThread {
                let answer = fixture.device("GET", Self.questions[0], id: "new-\(number)")
                statuses.note(answer.status)
            }
        }
        // Whoever waits for the database gives up after 5 s, as busy.
        #expect(statuses.wait(for: 3) == [200, 200, 200])
        try other.execute("ROLLBACK")
        #expect(statuses.wait(for: count).count == count)
        #expect(fixture.device("GET", Self.questions[0], id: "new-0").status == 200)
    }

    private final class Statuses: Sendable {
        private let found = Mutex<[Int]>([])

        func note(_ status: Int) { found.withLock { $0.append(status) } }

        /// Those that came first, at least so many within two minutes.
        func wait(for count: Int) -> [Int] {
            for _ in 0..<12_000 where found.withLock({ $0.count }) < count { usleep(10_000) }
            return found.withLock { $0 }
        }
    }

    @Test("one that was erased and asks again is a new one at once, and counts as such")
    func erased() throws {
        let fixture = try fixture()
        let question = Self.questions[0]
        #expect(fixture.device("GET", question).status == 200)
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-7").status == 204)
        #expect(listed(fixture).isEmpty)
        // Its place is free for another one ...
        #expect(fixture.device("GET", question, id: "van-8").status == 200)
        // ... and it does not go on unseen beside that one.
        let again = fixture.device("GET", question)
        #expect(again.status == 403 && again.code == "device_limit")
        #expect(fixture.admin("DELETE", "/v1/admin/devices/van-8").status == 204)
        #expect(fixture.device("GET", question).status == 200)
        #expect(listed(fixture) == ["van-7"])
    }

    @Test("one that is erased while it asks is looked up at its next request")
    func erasedMeanwhile() throws {
        let fixture = try fixture()
        let workspace = fixture.workspace.id
        let now = fixture.clock.wallClock.time
        let devices = AskedDevices(fixture.store)
        let register = DeviceRegister(store: devices)
        let report = DeviceReport(userID: nil, agent: nil)
        try register.admit("van-7", report, to: workspace, now: now)
        try register.admit("van-7", report, to: workspace, now: now)
        #expect(devices.questions == 1)
        register.forget("van-7", of: workspace)
        // Between the look at the database and what follows from it.
        devices.afterQuestion {
            _ = try? fixture.store.eraseDevice("van-7", of: workspace, now: now)
            register.forget("van-7", of: workspace)
        }
        try register.admit("van-7", report, to: workspace, now: now)
        #expect(devices.questions == 2)
        #expect(listed(fixture).isEmpty)
        try register.admit("van-7", report, to: workspace, now: now)
        #expect(devices.questions == 3)
        #expect(listed(fixture) == ["van-7"])
    }

    @Test("one that is known is served while the database is held")
    func heldDatabase() throws {
        let fixture = try fixture()
        let question = Self.questions[0]
        #expect(fixture.device("GET", question).status == 200)
        fixture.clock.advance(seconds: 86_400)
        let other = try Connection(path: fixture.store.path)
        try other.execute("BEGIN IMMEDIATE")
        #expect(fixture.device("GET", question).status == 200)
        try other.execute("ROLLBACK")
    }
}
