import Delivery
import Geofencing
import Timekeeping
import WireFormat

/// Fences that go on although the last answer does not name them, as they are stored beside it.
struct KeptFences: Hashable, Sendable, Codable {
    /// Of the answer that they belong to: with another one they mean nothing.
    var syncID: WireID
    var fences: [WireFence]

    init(_ fences: [Fence], syncID: String) {
        self.syncID = WireID(syncID)
        self.fences = fences.map(WireFence.init)
    }

    enum CodingKeys: String, CodingKey {
        case fences
        case syncID = "sync_id"
    }

    func domain() throws(WireError) -> [Fence] {
        var list: [Fence] = []
        for (index, fence) in fences.enumerated() {
            list.append(try fence.fence(at: "/fences/\(index)"))
        }
        return list
    }
}

extension TrackingService {
    /// What to commit with an answer, or with another change of the set, so that a restart ends no
    /// visit of a fence that still exists.
    func keptFenceValues() -> [StateKey: [UInt8]?] {
        let kept = pipeline.keptFences
        guard !kept.isEmpty, let syncID = source.syncID else {
            return [.keptFences: nil]
        }
        do {
            let document = KeptFences(kept, syncID: syncID)
            return [.keptFences: try WireCoding.encode(document)]
        } catch {
            log.write(LogLine(.error, "fences that are kept cannot be written: \(error)"))
            return [.keptFences: nil]
        }
    }

    /// Those that were kept when the stored answer was taken.
    func storedKeptFences(of answer: FenceAnswer) -> [Fence] {
        guard let bytes = stored(.keptFences) else { return [] }
        do throws(WireError) {
            let document = try WireCoding.decode(KeptFences.self, from: bytes)
            guard document.syncID.text == answer.coverage.syncID else { return [] }
            return try document.domain()
        } catch {
            log.write(LogLine(.error, "the stored fences that were kept cannot be read: \(error)"))
            return []
        }
    }
}
