import Geodesy
import Testing

@Suite("The circle that holds a share of the positions")
struct ErrorCircleTests {
    private func radius(_ share: Double, _ radii: [Double]) -> Double? {
        ErrorCircle.radiusMeters(holding: share, of: radii)
    }

    @Test("of positions that are alike, 68 % lie within their radius and 95 % within 1.62 of it")
    func alike() throws {
        let radii = [Double](repeating: 10, count: 7)
        #expect(abs(try #require(radius(0.68, radii)) - 10) < 1e-6)
        // The square root of ln 0.05 / ln 0.32.
        #expect(abs(try #require(radius(0.95, radii)) - 16.214_5) < 1e-3)
    }

    @Test("a few bad positions count as what they are: some, that lie far off")
    func mixture() throws {
        let few = try #require(radius(0.95, [5, 5, 5, 5, 5, 5, 5, 5, 5, 50]))
        #expect(abs(few - 38.997_6) < 1e-3)
        let many = try #require(radius(0.95, [Double](repeating: 5, count: 999) + [50]))
        #expect(abs(many - 8.132_4) < 1e-3)
    }

    @Test("none, and what is no radius, say nothing")
    func nothing() {
        #expect(radius(0.95, []) == nil)
        #expect(radius(0.95, [0, -1, .nan, .infinity]) == nil)
        #expect(radius(1, [5]) == nil && radius(0, [5]) == nil)
    }
}
