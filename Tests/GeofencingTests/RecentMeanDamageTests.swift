import Snapshots
import Testing
import Timekeeping

@testable import Geofencing

@Suite("The last minute of a stop, read from a snapshot")
struct RecentMeanDamageTests {
    struct Row: Sendable {
        var newest: Int64
        var count: Int
        var total: Int
        var isRead: Bool

        init(_ newest: Int64, _ count: Int, _ total: Int, _ isRead: Bool) {
            self.newest = newest
            self.count = count
            self.total = total
            self.isRead = isRead
        }
    }

    static let rows: [Row] = [
        Row(100, 7, 14, true),
        Row(-1_000_000_000_000, 1_000_000, 2_000_000, true),
        Row(1_000_000_000_000, 0, 0, true),
        Row(Int64.min, 7, 14, false),
        Row(Int64.max, 7, 14, false),
        Row(1_000_000_000_001, 7, 14, false),
        Row(-1_000_000_000_001, 7, 14, false),
        Row(100, 1_000_001, 2_000_002, false),
        Row(100, 1 << 53, 1 << 53, false),
        Row(100, -1, -2, false),
        Row(100, 7, 15, false),
        Row(100, 7, 1 << 53, false),
    ]

    @Test("is refused where going on from it could overflow", arguments: rows)
    func bounds(row: Row) throws {
        var writer = SnapshotWriter()
        writer.write(61)
        writer.write(Int64?.some(row.newest))
        writer.write(RecentMean.Bucket(count: row.total))
        writer.write(2)
        for slot in [0, 60] {
            writer.write(slot)
            writer.write(RecentMean.Bucket(count: row.count))
        }
        var reader = SnapshotReader(writer.bytes)
        guard row.isRead else {
            #expect(throws: SnapshotError.self) { _ = try reader.read(RecentMean.self) }
            return
        }
        var mean = try reader.read(RecentMean.self)
        for second in [101, 1_000_000_000_000] as [Int64] {
            mean.add(.init(count: 1), at: Uptime(milliseconds: second * 1000))
        }
        #expect(mean.total.count > 0)
    }
}
