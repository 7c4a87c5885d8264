import Campaigns
import Cryptography
import Delivery
import Foundation
import Geodesy
import TestSupport
import Testing
import Timekeeping
import WireFormat

@testable import ReferenceServer

/// Every implementation of `ServerStore`, with what it needs to live. A new one is a new case: all
/// of `ServerStoreContractTests` then holds for it.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite

    var testDescription: String { rawValue }

    func open(in directory: TemporaryDirectory) throws -> any ServerStore {
        switch self {
        case .sqlite:
            try SQLiteServerStore(
                path: directory.file("server.db"), zones: FixtureZones.shared, creating: true)
        }
    }
}

/// A store with one workspace, and the words in which its tests speak.
struct StoreBench {
    let kind: StoreKind
    let directory: TemporaryDirectory
    let store: any ServerStore
    let workspace: Int64

    static let noon = UTCTime(millisecondsSince1970: 1_769_860_800_000)
    var now: UTCTime { Self.noon }

    init(
        _ kind: StoreKind, plan: Workspace.Plan = .production, limits: WorkspaceLimits? = nil
    ) throws {
        self.kind = kind
        directory = try TemporaryDirectory()
        store = try kind.open(in: directory)
        workspace = try store.createWorkspace(
            WorkspaceDraft(name: "first", plan: plan, limits: limits), now: Self.noon
        ).id
    }

    /// The same data as another process would see it.
    func reopened() throws -> any ServerStore { try kind.open(in: directory) }

    func later(days: Int64 = 0, seconds: Int64 = 0) -> UTCTime {
        now.advanced(byMilliseconds: days * 86_400_000 + seconds * 1_000)
    }

    // MARK: Fences

    func draft(
        _ id: String, lat: Double = 52, lon: Double = 13, radius: Double = 100, more: String = ""
    ) throws -> [FenceDraft] {
        var reading = FenceReading(zones: store.zones)
        let text = """
            {"id": "\(id)", "type": "circle", "center": {"lat": \(lat), "lon": \(lon)},
             "radius_m": \(radius)\(more)}
            """
        reading.read(Array(text.utf8)) { $0 }
        return try reading.checked()
    }

    @discardableResult
    func put(_ drafts: [FenceDraft], replacingAll: Bool = false) throws -> FenceChanges {
        try store.putFences(drafts, replacingAll: replacingAll, in: workspace, now: now)
    }

    // MARK: Events

    struct Sent {
        var id: String
        var kind = EventKind.enter
        var epoch = "epoch-1"
        var sequence: Int64 = 1
        var boot = "boot-1"
        var fence: String? = "depot"
        var visit: String?
        /// Seconds after noon; nil: the device did not know the time.
        var second: Int64? = 0
        /// Seconds of uptime.
        var uptime: Int64? = 60
        var note = ""
    }

    func event(_ sent: Sent) throws -> IncomingEvent {
        let time = sent.second.map { later(seconds: $0) }
        let document = Array("{\"id\":\"\(sent.id)\",\"note\":\"\(sent.note)\"}".utf8)
        return IncomingEvent(
            clientEventID: sent.id, payloadHash: try SHA256.digest(of: document),
            queueEpoch: sent.epoch, sequence: sent.sequence, bootID: sent.boot, kind: sent.kind,
            fenceID: sent.fence, visitID: sent.visit, occurredAt: time,
            occurredMonoMilliseconds: sent.uptime.map { $0 * 1_000 }, detectedAt: time,
            monoMilliseconds: sent.uptime.map { $0 * 1_000 }, durationSeconds: nil,
            isInferred: false, reason: nil, notification: .none, document: document)
    }

    func batch(
        _ events: [Sent], device: String = "van-7", anchors: [IncomingBatch.Anchor] = []
    ) throws -> IncomingBatch {
        IncomingBatch(
            batchID: "b", report: DeviceReport(userID: nil, agent: "test"), deviceID: device,
            anchors: anchors, events: try events.map(event))
    }

    /// Words for what became of each event.
    @discardableResult
    func ingest(
        _ events: [Sent], device: String = "van-7", anchors: [IncomingBatch.Anchor] = [],
        into other: Int64? = nil, at time: UTCTime? = nil
    ) throws -> [String] {
        try store.ingest(
            batch(events, device: device, anchors: anchors), into: other ?? workspace,
            now: time ?? now
        ).map(Self.word)
    }

    static func word(_ outcome: EventOutcome) -> String {
        switch outcome {
        case .accepted: "accepted"
        case .duplicate: "duplicate"
        case .idReused: "id_reused"
        case .deferred(let code, _): code
        }
    }

    func events(
        of other: Int64? = nil, _ change: (inout EventFilter) -> Void = { _ in }
    ) throws -> [StoredEvent] {
        var filter = EventFilter()
        filter.limit = EventFilter.maximumLimit
        change(&filter)
        return try store.eventPiece(filter, of: other ?? workspace).events
    }

    func visits() throws -> [StoredVisit] {
        var filter = VisitFilter()
        filter.limit = EventFilter.maximumLimit
        return try store.visitPiece(filter, of: workspace).visits
    }

    func device(_ id: String = "van-7") throws -> StoredDevice {
        try #require(try store.device(id, of: workspace))
    }

    /// The ids of the kept events in order of receipt.
    func eventIDs() throws -> [String] {
        try events().map { event in
            let text = String(decoding: event.document, as: UTF8.self)
            return String(text.split(separator: "\"")[3])
        }
    }
}

/// Whether a call throws this error of the store.
func throwsError(_ expected: StoreError, _ body: () throws -> Void) -> Bool {
    do {
        try body()
        return false
    } catch {
        return error as? StoreError == expected
    }
}
