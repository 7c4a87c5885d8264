import Synchronization

/// What other threads tell a client that is busy with a transfer.
final class TransferControl: Sendable {
    private let stopped = Atomic<Bool>(false)
    private let networkGeneration = Atomic<Int>(0)

    var isStopped: Bool { stopped.load(ordering: .acquiring) }

    /// The running transfer ends within a second, and none begins any more.
    func stop() { stopped.store(true, ordering: .releasing) }

    var generation: Int { networkGeneration.load(ordering: .acquiring) }

    func networkChanged() { networkGeneration.wrappingAdd(1, ordering: .acquiringAndReleasing) }
}
