import SQLite
import Synchronization

/// The one connection that writes, with group commit.
///
/// Whoever gets the connection commits everything that waits, its own change among it, in one
/// transaction; the others find theirs done when their turn comes. So a single writer pays one
/// commit each, and many at once share it, without a thread of their own. Where one of them fails
/// half-way the transaction is undone, and each is made again in one of its own. A call returns
/// after the COMMIT of its change has returned. As many wait as there are threads that call: the
/// web server's lane of writes bounds those, and the requests before them.
final class SQLiteWriter: Sendable {
    private let connection: Mutex<Connection>
    private let waiting = Mutex<[any WriteJob]>([])
    private let log: LogCopier?
    /// Pages that had been written when `log` was started last.
    private let copiedPages = Atomic(0)

    /// Pages of log after which it is copied into the database.
    static let pagesBetweenCopies = 4096
    /// How long a checkpoint waits for one that another process makes.
    static let copyPatience = Duration.seconds(5)

    /// `log` copies what is written here; nil: only `wal_autocheckpoint` does.
    init(_ connection: sending Connection, log: LogCopier? = nil) {
        self.connection = Mutex(connection)
        self.log = log
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (Connection) throws -> Result
    ) throws(StoreError) -> Result {
        let job = TypedWriteJob(body)
        waiting.withLock { $0.append(job) }
        connection.withLock { connection in
            guard !job.isDone else { return }
            let group = waiting.withLock { line in
                defer { line = [] }
                return line
            }
            commit(group, on: connection)
            copyLog(written: connection.pagesWritten)
        }
        return try job.outcome()
    }

    /// Copies the log into the database, and empties it.
    ///
    /// Where another process goes on copying it for `copyPatience` the log stays: what is in it is
    /// as durable.
    func checkpoint() throws(SQLiteError) {
        try connection.withLock { connection throws(SQLiteError) in
            log?.wait()
            do throws(SQLiteError) {
                try connection.checkpoint(.truncate, patience: Self.copyPatience)
            } catch {
                guard error.code == .busy else { throw error }
            }
        }
    }

    /// Gives `body` the connection outside of any transaction.
    func withConnection<Result: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try connection.withLock { connection throws(SQLiteError) in try body(connection) }
    }

    private func commit(_ group: [any WriteJob], on connection: Connection) {
        do {
            try connection.withTransaction(.immediate) {
                for job in group { try Self.run(job, on: connection) }
            }
            for job in group { job.finish(failure: nil) }
        } catch is HalfMadeChange {
            // Of one alone its own outcome says why.
            if group.count == 1 { return group[0].finish(failure: nil) }
            for job in group { commit([job], on: connection) }
        } catch {
            for job in group { job.finish(failure: StoreError(error)) }
        }
    }

    private func copyLog(written: Int) {
        let before = copiedPages.load(ordering: .relaxed)
        guard let log, written < before || written - before >= Self.pagesBetweenCopies else {
            return
        }
        copiedPages.store(written, ordering: .relaxed)
        log.start()
    }

    /// Throws where the transaction cannot be committed; a `HalfMadeChange` where only this change
    /// prevents it.
    ///
    /// Most changes that fail do so before their first row, and leave nothing to undo. There are no
    /// savepoints for the others: with one SQLite keeps a copy of each page that a change touches,
    /// and walks over all of them for each statement (its journal in memory is a list).
    private static func run(_ job: any WriteJob, on connection: Connection) throws {
        let before = connection.totalChanges
        guard let failure = job.run(on: connection) else { return }
        guard connection.isInTransaction else { throw failure }
        if connection.totalChanges != before { throw HalfMadeChange() }
    }

    private struct HalfMadeChange: Error {}
}

/// A change on its way through the writer.
private protocol WriteJob: AnyObject, Sendable {
    /// Makes the change; returns why it could not.
    func run(on connection: Connection) -> (any Error)?
    /// The transaction has ended: committed, or undone because of `failure`.
    func finish(failure: StoreError?)
}

private final class TypedWriteJob<Result: Sendable>: WriteJob {
    private let body: @Sendable (Connection) throws -> Result
    private let state = Mutex(State())

    private struct State {
        var result: Swift.Result<Result, StoreError>?
        var isDone = false
    }

    init(_ body: @escaping @Sendable (Connection) throws -> Result) {
        self.body = body
    }

    var isDone: Bool { state.withLock { $0.isDone } }

    func run(on connection: Connection) -> (any Error)? {
        do {
            let value = try body(connection)
            state.withLock { $0.result = .success(value) }
            return nil
        } catch {
            state.withLock { $0.result = .failure(StoreError(error)) }
            return error
        }
    }

    func finish(failure: StoreError?) {
        state.withLock { state in
            if let failure { state.result = .failure(failure) }
            state.isDone = true
        }
    }

    func outcome() throws(StoreError) -> Result {
        let result = state.withLock { $0.result }
        guard let result else { throw .failed("the change was not made") }
        return try result.get()
    }
}

extension StoreError {
    init(_ error: any Error) {
        switch error {
        case let known as StoreError: self = known
        case let refused as SQLiteError where refused.code == .busy || refused.code == .locked:
            self = .busy
        default: self = .failed("\(error)")
        }
    }
}
