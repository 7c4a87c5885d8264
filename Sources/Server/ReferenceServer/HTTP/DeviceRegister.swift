import Synchronization
import Timekeeping

/// Notes the devices that only ask, so that they are listed and count among those of the workspace.
///
/// Each is written down at its first request of a day: everything that asks writes once a day, not once a
/// request.
final class DeviceRegister: Sendable {
    /// Devices that are remembered; then it starts over.
    static let capacity = 100_000
    /// Devices that are written down at the same time: those wait for the database, and must not take
    /// the workers from those who only read.
    static let writing = 4

    private let store: any DeviceStore
    private let state = Mutex(State())

    private struct State {
        /// The last day on which each was seen, since 1970.
        var days: [Name: Int64] = [:]
        var writing = 0
        /// How often a device was forgotten.
        var erasures: UInt64 = 0
    }

    private struct Name: Hashable {
        var workspace: Int64
        var device: String
    }

    init(store: any DeviceStore) {
        self.store = store
    }

    /// Throws 403 for a new device where the workspace has as many as it may. Where many are new at
    /// once some are served first, and written down when they ask again.
    func admit(
        _ device: String, _ report: DeviceReport, to workspace: Int64, now: UTCTime
    ) throws {
        let name = Name(workspace: workspace, device: device)
        let day = now.daysSince1970
        let (known, erasures) = state.withLock { ($0.days[name], $0.erasures) }
        if known == day { return }
        let lastSeen = try store.lastSight(of: device, in: workspace)
        if lastSeen.map({ $0.daysSince1970 < day }) ?? true {
            do {
                guard try write(device, report, workspace, now) else { return }
            } catch {
                // One that is known is served, and noted another time.
                guard lastSeen == nil else { return }
                throw error
            }
        }
        state.withLock { state in
            // What was read of a device that has been erased since then must not bring it back.
            guard state.erasures == erasures else { return }
            if state.days.count >= Self.capacity { state.days.removeAll() }
            state.days[name] = day
        }
    }

    /// Forgets a device that was erased: if it asks again, it is a new one from its next request on.
    func forget(_ device: String, of workspace: Int64) {
        state.withLock {
            $0.days[Name(workspace: workspace, device: device)] = nil
            $0.erasures &+= 1
        }
    }

    /// False: too many others are being written down.
    private func write(
        _ device: String, _ report: DeviceReport, _ workspace: Int64, _ now: UTCTime
    ) throws -> Bool {
        let isFree = state.withLock { state in
            guard state.writing < Self.writing else { return false }
            state.writing += 1
            return true
        }
        guard isFree else { return false }
        defer { state.withLock { $0.writing -= 1 } }
        try store.heartbeat(report, from: device, of: workspace, now: now)
        return true
    }
}
