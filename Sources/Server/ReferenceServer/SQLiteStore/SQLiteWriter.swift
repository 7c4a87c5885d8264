import SQLite
import Synchronization

/// The one connection that writes, with group commit.
///
/// Whoever gets the connection commits everything that waits, its own change among it, in one
/// transaction; the others find theirs done when their turn comes. So a single writer pays one
/// commit each, and many at once share it, without a thread of their own. A call returns after the
/// COMMIT of its change has returned. As many wait as there are threads that call: the web server's
/// lane of writes bounds those, and the requests before them.
final class SQLiteWriter: Sendable {
    private let connection: Mutex<Connection>
    private let waiting = Mutex<[any WriteJob]>([])

    init(_ connection: sending Connection) {
        self.connection = Mutex(connection)
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
        }
        return try job.outcome()
    }

    /// Gives `body` the connection outside of any transaction.
    func withConnection<Result: Sendable>(
        _ body: @Sendable (Connection) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result {
        try connection.withLock { connection throws(SQLiteError) in try body(connection) }
    }

    private func commit(_ group: [any WriteJob], on connection: Connection) {
        let isAlone = group.count == 1
        do {
            try connection.withTransaction(.immediate) {
                for job in group { try Self.run(job, isAlone: isAlone, on: connection) }
            }
        } catch {
            for job in group { job.finish(failure: StoreError(error)) }
            return
        }
        for job in group { job.finish(failure: nil) }
    }

    /// A change that fails is undone alone. Throws where the whole transaction is undone.
    ///
    /// One that has the transaction to itself has no savepoint: for each statement SQLite would walk
    /// over all pages that were changed before (its journal in memory is a list), and an import of many
    /// fences would be quadratic.
    private static func run(
        _ job: any WriteJob, isAlone: Bool, on connection: Connection
    ) throws {
        guard !isAlone else {
            if let failure = job.run(on: connection) { throw failure }
            return
        }
        try connection.execute("SAVEPOINT job")
        guard let failure = job.run(on: connection) else {
            try connection.execute("RELEASE job")
            return
        }
        guard connection.isInTransaction else { throw failure }
        try connection.execute("ROLLBACK TO job")
        try connection.execute("RELEASE job")
    }
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
