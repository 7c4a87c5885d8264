import Glibc

extension QueueFiles {
    /// How large the database may become so that its log can still be copied into it, bytes; nil: not
    /// known.
    ///
    /// The log grows first and is copied later. A log that the file has no room for can be neither
    /// copied nor begun anew, and takes the very room that is missing: that queue would stay in memory
    /// until somebody else frees some.
    ///
    /// A ballast counts as room: it is given up when the log needs that. Never less than the file has
    /// already: the log is copied into that without any room, and nothing of it would become free.
    func greatestDatabase() -> Int64? {
        var status = statvfs()
        guard statvfs(directory, &status) == 0,
            let present = try? Self.size(of: database),
            let written = try? Self.size(of: database + "-wal"),
            let spare = try? Self.size(of: ballast)
        else { return nil }
        let free = Int64(clamping: status.f_bavail)
            .multipliedClamped(by: Int64(clamping: status.f_frsize))
        // The next start needs it, which may come after a kill, with the log in its place.
        let index = status.f_frsize < StorageLimits.indexPage ? StorageLimits.indexRoomBytes : 0
        let log = max(0, StorageLimits.fullLogBytes - written)
        let (sum, overflow) = (present + spare).addingReportingOverflow(free)
        return overflow ? .max : max(present, sum - index - log)
    }
}
