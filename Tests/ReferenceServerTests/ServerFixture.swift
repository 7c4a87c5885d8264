import Foundation
import TestSupport
import Testing
import Timekeeping
import WebServer
import WireFormat

@testable import ReferenceServer

/// A server on a database of its own, asked without sockets.
final class ServerFixture: Sendable {
    let directory: TemporaryDirectory
    let store: SQLiteServerStore
    let clock = SettableTimekeeper()
    let server: ReferenceServer
    let workspace: Workspace
    let adminKey: String
    let deviceKey: String

    init(
        plan: Workspace.Plan = .production, limits: WorkspaceLimits? = nil,
        requests: RequestLimits = RequestLimits()
    ) throws {
        directory = try TemporaryDirectory()
        store = try SQLiteServerStore(
            path: directory.file("server.db"), zones: FixtureZones.shared, creating: true)
        server = ReferenceServer(
            store: store, timekeeper: clock, log: PrintingLog(), limits: requests)
        let now = clock.wallClock.time
        workspace = try store.createWorkspace(
            WorkspaceDraft(name: "first", plan: plan, limits: limits), now: now)
        adminKey = try Self.issue(.admin, workspace.id, store, now)
        deviceKey = try Self.issue(.live, workspace.id, store, now)
    }

    static func issue(
        _ scope: KeyScope, _ workspace: Int64, _ store: SQLiteServerStore, _ now: UTCTime,
        device: String? = nil, expiresAt: UTCTime? = nil
    ) throws -> String {
        let issued = try IssuedKey(scope, deviceID: device, expiresAt: expiresAt)
        _ = try store.addKey(issued.draft, to: workspace, now: now)
        return issued.text
    }

    /// A second workspace with its keys.
    func anotherWorkspace() throws -> (id: Int64, adminKey: String, deviceKey: String) {
        let now = clock.wallClock.time
        let room = try store.createWorkspace(
            WorkspaceDraft(name: "second", plan: .production), now: now)
        return (
            room.id, try Self.issue(.admin, room.id, store, now),
            try Self.issue(.live, room.id, store, now)
        )
    }

    func admin(
        _ method: String, _ target: String, _ body: String? = nil, key: String? = nil
    ) -> Answer {
        ask(method, target, body, headers: ["Authorization": "Bearer \(key ?? adminKey)"])
    }

    func device(
        _ method: String, _ target: String, _ body: String? = nil, key: String? = nil,
        id: String = "van-7", headers: [String: String] = [:]
    ) -> Answer {
        var all = headers
        all["Authorization"] = "Bearer \(key ?? deviceKey)"
        all["X-Device-Id"] = id
        return ask(method, target, body, headers: all)
    }

    func ask(
        _ method: String, _ target: String, _ body: String? = nil, headers: [String: String] = [:]
    ) -> Answer {
        var fields = Headers()
        for (name, value) in headers { fields[name] = value }
        if body != nil, fields["Content-Type"] == nil {
            fields["Content-Type"] = "application/json"
        }
        return Answer(
            server.answer(
                Request(
                    method: method, target: target, headers: fields,
                    body: Array((body ?? "").utf8), peer: "192.0.2.1")))
    }

    /// Uploads wire events as one batch.
    func upload(
        _ events: [String], batch: String = "b-1", device id: String = "van-7",
        anchors: String = "[]", key: String? = nil
    ) -> Answer {
        device(
            "POST", "/v1/events/batch",
            """
            {"batch_id": "\(batch)", "device_id": "\(id)", "sent_at": "2026-01-31T12:00:00Z",
             "queue": {"pending": 3, "dead": 1, "oldest": null}, "clock_anchors": \(anchors),
             "events": [\(events.joined(separator: ","))]}
            """, key: key, id: id)
    }
}

/// Shows what went wrong inside beside the failure that it causes.
struct PrintingLog: LogSink {
    func write(_ line: LogLine) { print(line.message) }
}

/// An answer with its body read as JSON.
struct Answer {
    let response: Response

    init(_ response: Response) {
        var response = response
        if let stream = response.stream { response.body = (try? stream.collect()) ?? [] }
        self.response = response
    }

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    var json: JSONValue? { try? WireCoding.decode(JSONValue.self, from: response.body) }
    subscript(_ path: String...) -> JSONValue? { path.reduce(json) { $0?[$1] } }
    var code: String? { self["code"]?.string }
    /// `status` of each result, or its code where it was rejected.
    var outcomes: [String] {
        (self["results"]?.array ?? []).map {
            $0["status"]?.string == "rejected"
                ? $0["code"]?.string ?? "" : $0["status"]?.string ?? ""
        }
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    var string: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let value) = self { value } else { nil } }
    var array: [JSONValue]? { if case .array(let list) = self { list } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
}
