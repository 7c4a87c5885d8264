/// What SQLite refused, where, and in its own words.
public struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code.
    public var code: ResultCode
    /// The extended result code, which names the failing operation of the file system for `ioError`.
    public var extendedCode: Int32
    public var message: String
    /// The statement that failed, without the values bound to it; nil: no statement.
    public var statement: String?

    public init(code: ResultCode, extendedCode: Int32, message: String, statement: String? = nil) {
        self.code = code
        self.extendedCode = extendedCode
        self.message = message
        self.statement = statement
    }

    public var description: String {
        let place = statement.map { " in '\($0.prefix(Self.statementLimit))'" } ?? ""
        return "SQLite error \(extendedCode): \(message)\(place)"
    }

    private static let statementLimit = 120
}

/// A primary result code (sqlite3.h, "Result Codes").
public struct ResultCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int32

    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The primary code is the low byte of an extended one.
    init(extended: Int32) {
        rawValue = extended & 0xff
    }

    public static let error = ResultCode(rawValue: 1)
    public static let busy = ResultCode(rawValue: 5)
    public static let locked = ResultCode(rawValue: 6)
    public static let outOfMemory = ResultCode(rawValue: 7)
    public static let readOnly = ResultCode(rawValue: 8)
    public static let interrupted = ResultCode(rawValue: 9)
    public static let ioError = ResultCode(rawValue: 10)
    public static let corrupt = ResultCode(rawValue: 11)
    /// The disk, or the cap on pages, is full.
    public static let full = ResultCode(rawValue: 13)
    public static let cannotOpen = ResultCode(rawValue: 14)
    public static let schemaChanged = ResultCode(rawValue: 17)
    public static let tooBig = ResultCode(rawValue: 18)
    public static let constraint = ResultCode(rawValue: 19)
    public static let typeMismatch = ResultCode(rawValue: 20)
    public static let misuse = ResultCode(rawValue: 21)
    public static let range = ResultCode(rawValue: 25)
    public static let notADatabase = ResultCode(rawValue: 26)

    /// Whether the file itself is damaged, so that trying again cannot help.
    public var meansDamage: Bool { self == .corrupt || self == .notADatabase }
}
