/// Which fences are monitored after a fix, and what changed.
public struct RegionSelection: Hashable, Sendable {
    /// At most the limit, nearest first as of the last change.
    public var monitored: [String]
    /// An unresolved exit that keeps its region beyond the limit, in the spare slot; nil: none.
    public var spare: String?
    /// Monitored or spare now, neither before; in the order of `monitored`.
    public var joined: [String]
    /// Monitored or spare before, neither now; in order of id.
    public var left: [String]
    /// Around the device but beyond the limit (`overlap_overflow`): their state is frozen.
    /// In order of area, then id.
    public var overflow: [String]

    public init(
        monitored: [String] = [], spare: String? = nil, joined: [String] = [],
        left: [String] = [], overflow: [String] = []
    ) {
        self.monitored = monitored
        self.spare = spare
        self.joined = joined
        self.left = left
        self.overflow = overflow
    }

    /// Every fence whose state the fix may change: the monitored ones, then the spare.
    public var evaluated: [String] { spare.map { monitored + [$0] } ?? monitored }

    /// The same for somebody who knows of none of them.
    public var allJoined: RegionSelection {
        var result = self
        result.joined = evaluated
        return result
    }
}
