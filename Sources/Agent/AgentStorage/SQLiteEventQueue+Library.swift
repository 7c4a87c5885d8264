import SQLite

extension SQLiteEventQueue {
    /// For a program whose only use of SQLite is the queue, before it opens the first: no lock is taken
    /// then for counting memory, several times a row.
    public static func claimLibrary() { disableMemoryStatistics() }
}
