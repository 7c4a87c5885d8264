/// One step from a schema to the next, in one transaction. A step keeps whatever cannot be worked out
/// from what stays; what can be (an index of it, a column that nothing reads) it may drop. Steps that
/// were released stay as they are: databases have taken them.
public struct Migration {
    /// `user_version` after the step; 1, 2, 3, ... in order.
    public var version: Int
    public var apply: (Connection) throws(SQLiteError) -> Void

    public init(version: Int, apply: @escaping (Connection) throws(SQLiteError) -> Void) {
        self.version = version
        self.apply = apply
    }

    /// A step that is a script.
    public init(version: Int, script: String) {
        self.init(version: version) { connection throws(SQLiteError) in
            try connection.execute(script)
        }
    }
}

/// Why a database could not be brought to the current schema.
public enum MigrationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A newer program made it; it was left untouched.
    case newerVersion(found: Int, supported: Int)
    /// The step to `version` failed and was rolled back; the steps before it stand.
    case failed(version: Int, SQLiteError)

    public var description: String {
        switch self {
        case .newerVersion(let found, let supported):
            "the database has schema version \(found), this program knows up to \(supported)"
        case .failed(let version, let error):
            "migration to schema version \(version) failed: \(error)"
        }
    }
}

extension Connection {
    /// `user_version`; 0 for a new file.
    public func schemaVersion() throws(SQLiteError) -> Int {
        try first("PRAGMA user_version") { $0.int(0) } ?? 0
    }

    /// Runs the steps that are missing, one transaction each.
    public func migrate(_ steps: [Migration]) throws(MigrationError) {
        let supported = steps.map(\.version).max() ?? 0
        let found: Int
        do { found = try schemaVersion() } catch { throw .failed(version: 0, error) }
        guard found <= supported else {
            throw .newerVersion(found: found, supported: supported)
        }
        for step in steps where step.version > found {
            do {
                try transaction { () throws(SQLiteError) in
                    try step.apply(self)
                    try execute("PRAGMA user_version = \(step.version)")
                }
            } catch {
                throw .failed(version: step.version, error)
            }
        }
    }
}
