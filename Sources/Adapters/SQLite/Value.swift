/// A value in one of SQLite's storage classes.
public enum Value: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
}

/// What can stand for a `?` of a statement.
public protocol Bindable {
    var sqliteValue: Value { get }
}

extension Value: Bindable {
    public var sqliteValue: Value { self }
}

extension Int64: Bindable {
    public var sqliteValue: Value { .integer(self) }
}

extension Int: Bindable {
    public var sqliteValue: Value { .integer(Int64(self)) }
}

extension Int32: Bindable {
    public var sqliteValue: Value { .integer(Int64(self)) }
}

extension Bool: Bindable {
    /// 1 or 0; SQLite has no boolean.
    public var sqliteValue: Value { .integer(self ? 1 : 0) }
}

extension Double: Bindable {
    /// SQLite stores NaN as NULL.
    public var sqliteValue: Value { .real(self) }
}

extension String: Bindable {
    public var sqliteValue: Value { .text(self) }
}

extension [UInt8]: Bindable {
    public var sqliteValue: Value { .blob(self) }
}

extension Optional: Bindable where Wrapped: Bindable {
    public var sqliteValue: Value { self?.sqliteValue ?? .null }
}
