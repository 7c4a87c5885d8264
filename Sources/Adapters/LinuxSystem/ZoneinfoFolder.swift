import Synchronization
import Timekeeping

/// The tz database of the machine (package tzdata), read when a zone is asked for the first time.
///
/// What was read is kept, so an update of tzdata is seen after a restart. A zone that is not there
/// is looked for each time: the package may be installed later.
public final class ZoneinfoFolder: TimeZoneSource {
    public static let systemPath = "/usr/share/zoneinfo"
    /// Zones that are kept; the tz database has some 600 names.
    static let cacheLimit = 64

    private let path: String
    private let cache = Mutex<[TimeZoneName: TimeZoneRules]>([:])

    public init(path: String = systemPath) {
        self.path = path
    }

    public func rules(of name: TimeZoneName) -> TimeZoneRules? {
        if let known = cache.withLock({ $0[name] }) { return known }
        guard
            let bytes = try? FileContents.read(
                "\(path)/\(name.text)", limit: TimeZoneRules.maxBytes),
            let rules = try? TimeZoneRules(tzif: bytes)
        else { return nil }
        cache.withLock { cache in
            if cache.count >= Self.cacheLimit { cache.removeAll(keepingCapacity: true) }
            cache[name] = rules
        }
        return rules
    }

    /// Zones that are kept now.
    var cachedCount: Int { cache.withLock { $0.count } }
}
