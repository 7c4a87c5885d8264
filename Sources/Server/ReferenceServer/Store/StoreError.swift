/// Why the store did not do what it was asked.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Too much at once; the same may succeed in a moment.
    case busy
    /// A limit of the workspace, as a sentence.
    case limit(Limit)
    /// Something of that name is there already.
    case conflict(String)
    /// A fence that is named is not there; its place among those named.
    case unknownFence(index: Int)
    /// The store does not work: disk full, damaged, closed.
    case failed(String)

    public enum Limit: Hashable, Sendable {
        case fences(Int)
        case keys(Int)
        case devices(Int)
        case campaigns(Int)
        case campaignsOfFence(Int)
        /// Of a fence with its campaigns, as JSON.
        case bytesOfFence(Int, id: String)
    }

    public var description: String {
        switch self {
        case .busy: "too many writes at once"
        case .limit(.fences(let count)): "the workspace may have \(count) fences"
        case .limit(.keys(let count)): "the workspace may have \(count) device keys"
        case .limit(.devices(let count)): "the workspace may have \(count) devices"
        case .limit(.campaigns(let count)): "the workspace may have \(count) campaigns"
        case .limit(.campaignsOfFence(let count)): "a fence may carry \(count) campaigns"
        case .limit(.bytesOfFence(let count, let id)):
            "fence '\(id)' with its campaigns is longer than \(count) bytes"
        case .unknownFence(let index): "fence \(index) of those named is not there"
        case .conflict(let name): "'\(name)' is there already"
        case .failed(let reason): reason
        }
    }
}
