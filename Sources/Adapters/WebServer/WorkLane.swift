/// The line in which a request waits for a worker: who writes waits for others who write, and must
/// not hold up who reads.
public enum WorkLane: Hashable, Sendable, CaseIterable {
    case reads
    case writes
}
