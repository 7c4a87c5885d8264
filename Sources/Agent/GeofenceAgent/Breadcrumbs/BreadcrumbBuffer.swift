import Delivery
import Timekeeping

/// Gathers positions until there are enough for one write.
///
/// What is gathered is lost with the process; that is what fewer writes cost.
struct BreadcrumbBuffer: Sendable {
    /// A group is written early when it has so many: half a minute of a receiver of 25 Hz.
    static let limit = 750

    let groupSeconds: Double
    private(set) var gathered: [Breadcrumb] = []
    private var since: Uptime?

    init(groupSeconds: Double) {
        self.groupSeconds = groupSeconds
    }

    mutating func add(_ crumb: Breadcrumb, at now: Uptime) {
        if gathered.isEmpty { since = now }
        gathered.append(crumb)
    }

    /// The group to write, once it is due.
    mutating func takeDue(at now: Uptime) -> [Breadcrumb]? {
        guard let since, !gathered.isEmpty else { return nil }
        guard gathered.count >= Self.limit || now.seconds(since: since) >= groupSeconds else {
            return nil
        }
        return takeAll()
    }

    mutating func takeAll() -> [Breadcrumb] {
        let group = gathered
        gathered.removeAll(keepingCapacity: true)
        since = nil
        return group
    }
}
