import SQLite

/// A WHERE clause that grows: texts are the program's own, values are always bound.
struct SQLCondition: Sendable {
    private(set) var text: String
    private(set) var values: [Value]

    init(_ text: String, _ values: any Bindable...) {
        self.text = text
        self.values = values.map(\.sqliteValue)
    }

    /// Adds a condition with one value where there is one.
    mutating func and(_ text: String, _ value: (some Bindable)?) {
        guard let value else { return }
        self.text += " AND \(text)"
        values.append(value.sqliteValue)
    }
}
