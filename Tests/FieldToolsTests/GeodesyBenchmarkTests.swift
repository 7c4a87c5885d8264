import FieldTools
import Geodesy
import Testing

@Suite("The geodesy benchmark")
struct GeodesyBenchmarkTests {
    @Test("measures the same drive every time and reports it")
    func repeats() throws {
        let center = try #require(Coordinate(latitude: 48.1, longitude: 11.5))
        let benchmark = try GeodesyBenchmark(center: center)
        #expect(benchmark.places == 400)
        #expect(benchmark.measureDistances() == benchmark.measureDistances())
        #expect(benchmark.rank() == benchmark.rank())
        #expect(benchmark.rank() > 18)
        let report = benchmark.report(
            distanceSeconds: 0.000_72, rankSeconds: 0.002, asJSON: true)
        #expect(
            report
                == #"{"bench":"geodesy","ns_per_distance":100.0,"us_per_ranking":5.0,"#
                + #""fences":18,"pool":500,"places":400}"#)
    }
}
