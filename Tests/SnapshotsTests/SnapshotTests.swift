import Testing

@testable import Snapshots

@Suite("A snapshot")
struct SnapshotTests {
    private func copy<Value: Snapshotted>(_ value: Value) throws -> Value {
        var writer = SnapshotWriter()
        writer.write(value)
        var reader = SnapshotReader(writer.bytes)
        let copy = try reader.read(Value.self)
        try reader.finish()
        return copy
    }

    @Test(
        "gives whole numbers of every size back, small ones in a byte",
        arguments: [0, 1, -1, 63, -64, 64, 1 << 40, -(1 << 40), .max, .min] as [Int64])
    func numbers(value: Int64) throws {
        #expect(try copy(value) == value)
        var writer = SnapshotWriter()
        writer.write(value)
        if (-64...63).contains(value) { #expect(writer.bytes.count == 1) }
    }

    @Test(
        "gives other numbers back to the last bit",
        arguments: [0, -0.0, 0.1, -1e300, .leastNonzeroMagnitude] as [Double])
    func doubles(value: Double) throws {
        #expect(try copy(value).bitPattern == value.bitPattern)
    }

    @Test("gives texts, lists and what is absent back")
    func others() throws {
        #expect(try copy("Zürich 🚚") == "Zürich 🚚")
        #expect(try copy([1, nil, 3] as [Int?]) == [1, nil, 3])
        #expect(try copy(true))
        #expect(try copy(UInt64.max) == .max)
    }

    @Test("that was cut anywhere is none")
    func cut() {
        var writer = SnapshotWriter()
        writer.write(["a", "bc"])
        writer.write(Int64.max)
        writer.write(1.5)
        for count in 0..<writer.bytes.count {
            var reader = SnapshotReader(Array(writer.bytes.prefix(count)))
            #expect(throws: SnapshotError.self) {
                _ = try reader.read([String].self)
                _ = try reader.read(Int64.self)
                _ = try reader.read(Double.self)
            }
        }
        var reader = SnapshotReader(writer.bytes + [0])
        _ = try? reader.read([String].self)
        _ = try? reader.read(Int64.self)
        _ = try? reader.read(Double.self)
        #expect(throws: SnapshotError.leftOver(1)) { try reader.finish() }
    }

    @Test("holds nothing that nobody writes")
    func impossible() {
        func fails<Value: Snapshotted>(_ type: Value.Type, _ bytes: [UInt8]) -> Bool {
            var reader = SnapshotReader(bytes)
            return (try? reader.read(type)) == nil
        }
        #expect(fails(Bool.self, [2]))
        #expect(fails(Int64.self, [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2]))
        #expect(fails(Double.self, [0, 0, 0, 0, 0, 0, 0xF8, 0x7F]), "no number")
        #expect(fails(Double.self, [0, 0, 0, 0, 0, 0, 0xF0, 0x7F]), "infinity")
        #expect(fails(String.self, [2, 0xFF]), "no UTF-8")
        #expect(fails([Bool].self, [1]), "a negative count")
        #expect(fails([Bool].self, [0x80, 0x80, 0x80, 0x40]), "a count of millions")
    }
}
