/// A statement of one connection that its owner runs again and again, each time with new values: it is
/// neither looked up nor are its values boxed. It must not be used after its connection is gone.
public final class PreparedStatement {
    let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }
}

/// Takes the values of a prepared statement, in the order of their `?`.
public struct ValueBinder: ~Copyable {
    private let statement: Statement
    private var count: Int32 = 0
    private var failed = false

    init(_ statement: Statement) {
        self.statement = statement
    }

    public mutating func add(_ number: Int64) {
        count += 1
        note(statement.bind(number, at: count))
    }

    public mutating func add(_ text: String) {
        count += 1
        note(statement.bind(text, at: count))
    }

    public mutating func add(_ bytes: [UInt8]) {
        count += 1
        note(statement.bind(bytes, at: count))
    }

    /// A blob that is not copied: its bytes must stay until the statement has run.
    public mutating func add(lasting bytes: UnsafeRawBufferPointer) {
        count += 1
        note(statement.bind(lasting: bytes, at: count))
    }

    /// Nil becomes NULL.
    public mutating func add(_ number: Int64?) {
        guard let number else { return addNull() }
        add(number)
    }

    /// Nil becomes NULL.
    public mutating func add(_ text: String?) {
        guard let text else { return addNull() }
        add(text)
    }

    private mutating func addNull() {
        count += 1
        note(statement.bind(.null, at: count))
    }

    private mutating func note(_ result: Int32) {
        if result != Statement.success { failed = true }
    }

    /// Throws where a value was refused, or where there are too few of them.
    consuming func finish() throws(SQLiteError) {
        if failed { throw statement.error() }
        try statement.expect(count)
    }
}
