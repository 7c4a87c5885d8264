/// Whether the names of an object come in the order of their bytes, each of them once.
struct NameOrder {
    private(set) var isAscending = true
    /// All of them are ASCII without escapes.
    private(set) var isPlain = true
    /// Nil: there was none yet.
    private var last: UnsafeBufferPointer<UInt8>?

    /// Takes the next name as it is written, without its quotes; its bytes outlive this value.
    mutating func note(_ name: UnsafeBufferPointer<UInt8>, isPlain: Bool) {
        if let last, isAscending { isAscending = last.lexicographicallyPrecedes(name) }
        last = name
        if !isPlain { self.isPlain = false }
    }
}
