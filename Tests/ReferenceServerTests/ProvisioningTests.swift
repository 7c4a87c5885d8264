import Foundation
import Synchronization
import Testing
import WireFormat

@testable import ReferenceServer

@Suite("Provisioning")
struct ProvisioningTests {
    private func code(_ fixture: ServerFixture, _ body: String = "{}") throws -> String {
        let answer = fixture.admin("POST", "/v1/admin/provision-codes", body)
        #expect(answer.status == 201)
        return try #require(answer["code"]?.string)
    }

    private func provision(_ fixture: ServerFixture, _ code: String, _ device: String) -> Answer {
        fixture.ask(
            "POST", "/v1/provision", "{\"code\": \"\(code)\", \"device_id\": \"\(device)\"}")
    }

    @Test("a code gives one key, which opens for its device alone")
    func exchange() throws {
        let fixture = try ServerFixture()
        let code = try code(fixture)
        let answer = provision(
            fixture, code.lowercased().replacingOccurrences(of: "-", with: " "), "van-7")
        #expect(answer.status == 201, "\(answer.text)")
        let key = try #require(answer["key"]?.string)
        #expect(fixture.device("GET", "/v1/config", key: key).status == 200)
        let other = fixture.device("GET", "/v1/config", key: key, id: "van-8")
        #expect(other.status == 403 && other.code == "device_mismatch")
        #expect(fixture.admin("GET", "/v1/admin/keys", key: key).status == 403)
        let again = provision(fixture, code, "van-7")
        #expect(again.status == 403 && again.code == "code_used")
        let listed = fixture.admin("GET", "/v1/admin/keys")["keys"]?.array?.last
        #expect(listed?["device_id"]?.string == "van-7")
    }

    @Test("keys of devices do not count among those of the workspace")
    func uncounted() throws {
        let fixture = try ServerFixture(plan: .trial)
        for index in 0..<5 {
            let answer = provision(fixture, try code(fixture), "van-\(index)")
            #expect(answer.status == 201 && answer["scope"]?.string == "trial")
        }
        #expect(fixture.admin("GET", "/v1/admin/usage")["keys", "used"]?.number == 1)
    }

    @Test("a code that is for a device, old or unknown gives nothing, and stays")
    func refusals() throws {
        let fixture = try ServerFixture()
        let bound = try code(fixture, "{\"device_id\": \"van-7\"}")
        #expect(provision(fixture, bound, "van-8").code == "device_mismatch")
        #expect(provision(fixture, "AAAA-AAAA-AAAA-AAAA-AAAA", "van-7").code == "code_unknown")
        #expect(provision(fixture, "", "van-7").code == "code_unknown")
        #expect(provision(fixture, bound, "a b").status == 422)
        #expect(provision(fixture, bound, "van-7").status == 201)
        let late = try code(fixture)
        fixture.clock.advance(seconds: 24 * 3_600)
        #expect(provision(fixture, late, "van-7").code == "code_expired")
    }

    @Test("at once, one of many gets the key")
    func race() throws {
        let fixture = try ServerFixture()
        let code = try code(fixture)
        let statuses = Mutex<[Int]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { index in
            let status = provision(fixture, code, "van-\(index)").status
            statuses.withLock { $0.append(status) }
        }
        let all = statuses.withLock { $0 }
        #expect(all.filter { $0 == 201 }.count == 1 && all.filter { $0 == 403 }.count == 15)
    }

    @Test("neither codes nor keys stand in the database")
    func hashed() throws {
        let fixture = try ServerFixture()
        let code = try code(fixture)
        let key = try #require(provision(fixture, code, "van-7")["key"]?.string)
        try fixture.store.checkpoint()
        let bytes = try Data(contentsOf: URL(fileURLWithPath: fixture.directory.file("server.db")))
        for secret in [
            code, code.replacingOccurrences(of: "-", with: ""), key, String(key.dropFirst(8)),
        ] {
            #expect(bytes.range(of: Data(secret.utf8)) == nil)
        }
    }
}
