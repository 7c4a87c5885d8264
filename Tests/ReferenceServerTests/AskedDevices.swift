import Synchronization
import Timekeeping

@testable import ReferenceServer

/// Devices of a store, with something that happens right after one was looked up.
final class AskedDevices: DeviceStore {
    private let store: any DeviceStore
    private let state = Mutex(State())

    private struct State {
        var questions = 0
        var action: (@Sendable () -> Void)?
    }

    init(_ store: any DeviceStore) {
        self.store = store
    }

    /// How often one was looked up.
    var questions: Int { state.withLock { $0.questions } }

    /// Once, after the next question.
    func afterQuestion(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.action = action }
    }

    func lastSight(of device: String, in workspace: Int64) throws(StoreError) -> UTCTime? {
        let sight = try store.lastSight(of: device, in: workspace)
        let action = state.withLock { state in
            state.questions += 1
            defer { state.action = nil }
            return state.action
        }
        action?()
        return sight
    }

    func heartbeat(
        _ report: DeviceReport, from device: String, of workspace: Int64, now: UTCTime
    ) throws(StoreError) {
        try store.heartbeat(report, from: device, of: workspace, now: now)
    }

    func devices(
        _ filter: DeviceFilter, of workspace: Int64, after id: String?, limit: Int
    ) throws(StoreError) -> [StoredDevice] {
        try store.devices(filter, of: workspace, after: id, limit: limit)
    }

    func interleavedDeviceCount() throws(StoreError) -> Int {
        try store.interleavedDeviceCount()
    }

    func device(_ id: String, of workspace: Int64) throws(StoreError) -> StoredDevice? {
        try store.device(id, of: workspace)
    }

    func setTags(
        _ tags: [String], of device: String, in workspace: Int64
    ) throws(StoreError) -> StoredDevice? {
        try store.setTags(tags, of: device, in: workspace)
    }

    func eraseDevice(_ id: String, of workspace: Int64, now: UTCTime) throws(StoreError) -> Bool {
        try store.eraseDevice(id, of: workspace, now: now)
    }
}
