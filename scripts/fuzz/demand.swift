// What all targets share.

/// Ends the process where something is not as promised, for the fuzzer to see.
func demand(_ condition: Bool, _ what: StaticString) {
    if !condition { fatalError("\(what)") }
}

/// The value, or the error's words, which must be some.
func read<Value>(_ work: () throws -> Value) -> Value? {
    do {
        return try work()
    } catch {
        demand(!"\(error)".isEmpty, "an error without words")
        return nil
    }
}
