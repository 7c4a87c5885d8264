extension Int64: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(number: self) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self = try snapshot.readNumber()
    }
}

extension Int: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(number: Int64(self)) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        guard let value = Int(exactly: try snapshot.readNumber()) else {
            throw .impossible("a number")
        }
        self = value
    }
}

/// For values of all 64 bits, such as hashes.
extension UInt64: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(bits: self) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self = try snapshot.readBits()
    }
}

/// To the last bit; what is no number is never kept.
extension Double: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(bits: bitPattern) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(bitPattern: try snapshot.readBits())
        guard isFinite else { throw .impossible("a number that is none") }
    }
}

extension Bool: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(byte: self ? 1 : 0) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let byte = try snapshot.readByte()
        guard byte <= 1 else { throw .impossible("a truth value") }
        self = byte == 1
    }
}

extension String: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(utf8.count)
        snapshot.write(contentsOf: utf8)
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let count = try snapshot.readCount()
        guard let text = String(validating: try snapshot.readSlice(count), as: UTF8.self) else {
            throw .impossible("a text")
        }
        self = text
    }
}

extension Optional: Snapshotted where Wrapped: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(self != nil)
        if let self { snapshot.write(self) }
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self = try snapshot.read(Bool.self) ? try snapshot.read(Wrapped.self) : nil
    }
}

extension Array: Snapshotted where Element: Snapshotted {
    public func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(count)
        for element in self { snapshot.write(element) }
    }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init()
        for _ in 0..<(try snapshot.readCount()) { append(try snapshot.read()) }
    }
}

/// An enumeration by its name.
extension Snapshotted where Self: RawRepresentable, RawValue == String {
    public func write(to snapshot: inout SnapshotWriter) { snapshot.write(rawValue) }

    public init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        let name = try snapshot.read(String.self)
        guard let value = Self(rawValue: name) else { throw .impossible("'\(name)'") }
        self = value
    }
}
