import Foundation
import SQLite
import TestSupport
import Testing

@Suite("A connection")
struct ConnectionTests {
    let directory: TemporaryDirectory
    let connection: Connection

    init() throws {
        directory = try TemporaryDirectory()
        connection = try Connection(path: directory.file("test.db"))
        try connection.execute("CREATE TABLE thing(id INTEGER PRIMARY KEY, value ANY) STRICT")
    }

    static let values: [Value] = [
        .null, .integer(0), .integer(.max), .integer(.min), .real(0.1), .real(-1e300), .text(""),
        .text("ä 🚚 \u{0} end"), .blob([]), .blob([0, 255, 1]),
        .text(String(repeating: "x", count: 100_000)),
    ]

    @Test("gives every value back in the storage class that it had", arguments: values)
    func roundTrip(value: Value) throws {
        try connection.run("INSERT INTO thing(value) VALUES (?)", value)
        let read = try connection.first("SELECT value FROM thing") { $0.value(0) }
        #expect(read == value)
        #expect(connection.lastInsertRowID == 1)
        #expect(connection.changes == 1)
    }

    @Test("refuses too few and too many values instead of binding null")
    func parameterCount() throws {
        #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO thing VALUES (?, ?)", 1)
        }
        #expect(throws: SQLiteError.self) {
            try connection.run("INSERT INTO thing VALUES (?, ?)", 1, 2, 3)
        }
        #expect(try count() == 0)
    }

    @Test("reads absent columns and nulls as absent")
    func absent() throws {
        try connection.run("INSERT INTO thing VALUES (?, ?)", 1, String?.none)
        try connection.forEach("SELECT value, id FROM thing") { row in
            #expect(row.optionalText(0) == nil)
            #expect(row.optionalBlob(0) == nil)
            #expect(row.text(0) == "")
            #expect(row.optionalInt64(1) == 1)
            #expect(row.value(7) == .null)
            return true
        }
    }

    @Test("rolls everything back when the body of a transaction throws")
    func rollback() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try connection.withTransaction {
                try connection.run("INSERT INTO thing(value) VALUES (1)")
                throw Stop()
            }
        }
        #expect(try count() == 0)
        #expect(!connection.isInTransaction)
        try connection.transaction { () throws(SQLiteError) in
            try connection.run("INSERT INTO thing(value) VALUES (1)")
        }
        #expect(try count() == 1)
    }

    @Test("refuses to commit while a statement is being read")
    func openStatementAtCommit() throws {
        try connection.run("INSERT INTO thing(value) VALUES (1)")
        var code: ResultCode?
        try connection.forEach("SELECT id FROM thing") { _ in
            code =
                thrown(SQLiteError.self) {
                    try connection.transaction { () throws(SQLiteError) in
                        try connection.run("INSERT INTO thing(value) VALUES (2)")
                    }
                }?.code
            return true
        }
        #expect(code == .misuse)
        #expect(try count() == 1)
    }

    @Test("can use one statement inside its own loop")
    func nestedUse() throws {
        for value in 1...3 { try connection.run("INSERT INTO thing(value) VALUES (?)", value) }
        var pairs = 0
        try connection.forEach("SELECT id FROM thing") { _ in
            let inner = (try? connection.query("SELECT id FROM thing") { $0.int64(0) }) ?? []
            pairs += inner.count
            return true
        }
        #expect(pairs == 9)
    }

    @Test("keeps working past the bound of its statement cache")
    func cacheBound() throws {
        for number in 0..<200 {
            let read = try connection.first("SELECT \(number)") { $0.int(0) }
            #expect(read == number)
        }
    }

    @Test("names the statement and the code of a failure, not the values")
    func errorContent() throws {
        try connection.run("INSERT INTO thing VALUES (1, 'a')")
        let error = thrown(SQLiteError.self) {
            try connection.run("INSERT INTO thing VALUES (?, ?)", 1, "secret")
        }
        #expect(error?.code == .constraint)
        #expect(error?.statement == "INSERT INTO thing VALUES (?, ?)")
        #expect(error?.description.contains("secret") == false)
    }

    @Test("interrupts a running statement from another thread")
    func interrupt() throws {
        let interrupter = connection.interrupter
        let thread = Thread { while !Thread.current.isCancelled { interrupter.interrupt() } }
        thread.start()
        defer { thread.cancel() }
        let endless =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
        let error = thrown(SQLiteError.self) { try connection.run(endless) }
        #expect(error?.code == .interrupted)
    }

    @Test("opened read-only writes nothing, and fails where there is no file")
    func readOnly() throws {
        let error = thrown(SQLiteError.self) {
            let reader = try Connection(path: connection.path, mode: .readOnly)
            try reader.run("INSERT INTO thing(value) VALUES (1)")
        }
        #expect(error?.code == .readOnly)
        let absent = thrown(SQLiteError.self) {
            _ = try Connection(path: directory.file("absent.db"), mode: .readOnly)
        }
        #expect(absent?.code == .cannotOpen)
        #expect(absent?.message.contains("absent.db") == true)
    }

    @Test("opens an immutable file whatever its name holds")
    func immutable() throws {
        let path = directory.file("odd name?#%41.db")
        try connection.run("INSERT INTO thing(value) VALUES (5)")
        try connection.vacuum(into: path)
        let reader = try Connection(path: path, mode: .immutable)
        #expect(try reader.first("SELECT value FROM thing") { $0.int(0) } == 5)
    }

    @Test("reports damage as damage")
    func damage() throws {
        let path = directory.file("noise.db")
        try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) })
            .write(to: URL(fileURLWithPath: path))
        let noise = try Connection(path: path)
        let error = thrown(SQLiteError.self) { _ = try noise.quickCheck() }
        #expect(error?.code.meansDamage == true)
        #expect(try connection.quickCheck().isEmpty)
        #expect(try connection.integrityCheck().isEmpty)
    }

    private func count() throws -> Int {
        try connection.first("SELECT count(*) FROM thing") { $0.int(0) } ?? -1
    }
}
