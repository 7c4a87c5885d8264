extension Request {
    /// Whether path and query are UTF-8 once they are decoded: what is not would be repaired, and name
    /// something else than was meant.
    public var isText: Bool {
        let parts = [path.utf8, (query ?? "").utf8]
        return parts.allSatisfy { part in
            guard part.contains(UInt8(ascii: "%")) else { return true }
            let bytes = PercentEncoding.bytes(part, plusIsSpace: false)
            return String(validating: bytes, as: UTF8.self) != nil
        }
    }
}
