import Testing

@testable import ReferenceServer

@Suite("Pages of what is rare")
struct BoundedScanTests {
    /// Records 1...total, every `share`-th of which matches; counts what is looked at.
    private struct Shelf {
        let total: Int64
        let share: Int64
        var looked = 0

        mutating func piece(_ cursor: Int64?, _ limit: Int) -> ([Int64], next: Int64?) {
            let first = (cursor ?? 0) + 1
            let last = min(total, first + Int64(limit) - 1)
            looked += limit
            guard first <= last else { return ([], nil) }
            return (
                (first...last).filter { $0 % share == 0 },
                last - first + 1 == Int64(limit) ? last : nil
            )
        }
    }

    @Test("one page looks at no more than its limit, and the next goes on from there")
    func bound() {
        var shelf = Shelf(total: 1_000, share: 400)
        let scan = BoundedScan(recordLimit: 100, pieceSize: 30)
        var cursor: Int64?
        var found: [Int64] = []
        var pages = 0
        repeat {
            shelf.looked = 0
            let page = scan.page(of: 5, from: cursor, receipt: { $0 }) { shelf.piece($0, $1) }
            #expect(shelf.looked < 100 + 30)
            found += page.records
            cursor = page.next
            pages += 1
        } while cursor != nil && pages < 100
        #expect(found == [400, 800])
        #expect(pages == 9)
    }

    @Test(
        "the pages together are everything that matches, each no longer than it may be",
        arguments: [1, 2, 3, 7, 10, 99, 100, 101, 1_000])
    func pages(share: Int64) {
        var shelf = Shelf(total: 1_000, share: share)
        let scan = BoundedScan(recordLimit: 200, pieceSize: 40)
        var cursor: Int64?
        var found: [Int64] = []
        var pages = 0
        repeat {
            let page = scan.page(of: 10, from: cursor, receipt: { $0 }) { shelf.piece($0, $1) }
            #expect(page.records.count <= 10)
            found += page.records
            cursor = page.next
            pages += 1
        } while cursor != nil && pages < 2_000
        #expect(found == (1...1_000).filter { $0 % share == 0 })
    }

    @Test("where everything matches, only the page is read")
    func plain() {
        var shelf = Shelf(total: 1_000, share: 1)
        let page = BoundedScan().page(of: 10, from: nil, receipt: { $0 }) { shelf.piece($0, $1) }
        #expect(page.records == Array(1...10) && page.next == 10)
        #expect(shelf.looked == 10)
    }
}
