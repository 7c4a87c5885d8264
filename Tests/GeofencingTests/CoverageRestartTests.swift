import Foundation
import Geodesy
import Geofencing
import Testing
import Timekeeping

@Suite("The coverage guard over restarts")
struct CoverageRestartTests {
    @Test("a restart keeps anchor, radius, pool and the loss, and asks again")
    func restart() throws {
        var bench = try CoverageBench.synced(1000)
        _ = try bench.fix(at: 900)
        _ = try bench.fix(at: 1000)
        #expect(bench.coverage.status == .lost)
        let data = try JSONEncoder().encode(bench.coverage.state)
        let state = try JSONDecoder().decode(CoverageState.self, from: data)
        #expect(state == bench.coverage.state)
        var again = try CoverageBench(state: state)
        #expect(again.coverage.status == .lost)
        let step = try again.fix(at: 1010)
        #expect(step.signals == [])
        #expect(step.request?.reason == .start)
        #expect(again.answer(1000) == [.restored])
    }

    @Test("a start without a fix asks around the stored anchor after a minute")
    func startWithoutFix() throws {
        let bench = try CoverageBench.synced(1000)
        var again = try CoverageBench(state: bench.coverage.state)
        #expect(again.tick(59).request == nil)
        #expect(again.tick(1).request?.position == bench.coverage.state.anchor?.position)
        var first = try CoverageBench()
        #expect(first.tick(3600).request == nil)
    }

    @Test(
        "a stored state that cannot be is refused",
        arguments: [
            #"{"anchor":{"lat":91,"lon":0,"error_m":25},"pool":100,"lost":false}"#,
            #"{"anchor":{"lat":1,"lon":0,"error_m":-1},"pool":100,"lost":false}"#,
            #"{"anchor":{"lat":1},"pool":100,"lost":false}"#, "{}",
        ])
    func corruptState(text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CoverageState.self, from: Data(text.utf8))
        }
    }

    @Test("a stored pool out of range is brought into it", arguments: [(0, 100), (9000, 500)])
    func storedPool(stored: Int, pool: Int) throws {
        let text = #"{"pool":\#(stored),"lost":false}"#
        let state = try JSONDecoder().decode(CoverageState.self, from: Data(text.utf8))
        #expect(state.pool == pool)
    }

    @Test("an answer or a failure that nobody waits for changes nothing")
    func unasked() throws {
        var bench = try CoverageBench.synced(1000)
        let state = bench.coverage.state
        #expect(bench.answer(0) == [])
        bench.fail()
        #expect(bench.coverage.state == state)
    }
}
