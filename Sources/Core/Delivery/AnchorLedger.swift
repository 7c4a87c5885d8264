import Timekeeping

/// Which boots' clock anchors the server still needs: for events that it took before their time was
/// known, and that would stay without one until the next event.
///
/// Kept with the queue's state, since the time may be learned long after a restart. Of the boots that
/// were heard of last, as many as the queue keeps anchors of.
public struct AnchorLedger: Hashable, Sendable, Codable {
    /// The boot that something was learned of last comes last.
    private var boots: [Boot] = []

    private struct Boot: Hashable, Sendable, Codable {
        var id: String
        /// The server has events of this boot that came without a time.
        var hasUntimedEvents = false
        /// Raw value of the source of the best anchor that the server has; nil: it has none.
        var source: String?

        enum CodingKeys: String, CodingKey {
            case id, source
            case hasUntimedEvents = "untimed"
        }
    }

    /// Boots that are remembered.
    static let bootLimit = 16

    public init() {}

    /// The server has kept an event of this boot that came without a time.
    public mutating func untimedEventAcknowledged(of boot: BootID) {
        change(boot) { $0.hasUntimedEvents = true }
    }

    /// The server has kept this anchor.
    public mutating func acknowledged(_ anchor: ClockAnchor) {
        change(anchor.bootID) {
            guard $0.source != ClockAnchor.Source.gnss.rawValue else { return }
            $0.source = anchor.source.rawValue
        }
    }

    /// Whether one of the anchors gives a time to events that the server has without one, or a
    /// better one: that of a receiver in the place of that of a synchronised clock. A later anchor
    /// of the same kind is no better for events before the first.
    public func isOwed(_ anchors: [ClockAnchor]) -> Bool {
        boots.contains { boot in
            guard boot.hasUntimedEvents,
                let anchor = anchors.first(where: { $0.bootID.text == boot.id })
            else { return false }
            return boot.source == nil
                || (anchor.source == .gnss && boot.source != ClockAnchor.Source.gnss.rawValue)
        }
    }

    private mutating func change(_ boot: BootID, _ change: (inout Boot) -> Void) {
        let index = boots.firstIndex { $0.id == boot.text }
        let known = index.map { boots[$0] }
        var changed = known ?? Boot(id: boot.text)
        change(&changed)
        guard changed != known else { return }
        if let index { boots.remove(at: index) }
        boots.append(changed)
        if boots.count > Self.bootLimit { boots.removeFirst() }
    }
}
