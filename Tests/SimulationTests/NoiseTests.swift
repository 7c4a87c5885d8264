import Geodesy
import Simulation
import Testing
import Timekeeping

@Suite("Receiver noise")
struct NoiseTests {
    private static let seed: UInt64 = 4711

    /// Position errors of a parked receiver, metres, one every `period` seconds.
    private func errors(
        _ noise: ReceiverNoise, seconds: Double, period: Int64 = 9
    ) throws -> [PlaneOffset] {
        let here = try #require(Coordinate(latitude: 52.5, longitude: 13.4))
        let route = try Route(
            positions: [here, here.moved(by: PlaneOffset(eastMeters: 1, northMeters: 0))],
            stops: [Route.Stop(vertex: 0, seconds: seconds)])
        let start = UTCTime(millisecondsSince1970: 1_767_225_600_000)
        var settings = ReceiverModel.Settings(start: start, noise: noise)
        settings.periodMilliseconds = period * 1000
        settings.sentences = []
        var receiver = ReceiverModel(route, settings: settings, seed: Self.seed)
        var errors: [PlaneOffset] = []
        while let epoch = receiver.next() {
            errors.append(epoch.truth.position.offset(to: epoch.reported))
        }
        return errors
    }

    private func deviation(_ values: [Double]) -> Double {
        (values.reduce(0) { $0 + $1 * $1 } / Double(values.count)).squareRoot()
    }

    private func correlation(_ values: [Double], lag: Int) -> Double {
        let pairs = zip(values, values.dropFirst(lag))
        let product = pairs.reduce(0) { $0 + $1.0 * $1.1 } / Double(values.count - lag)
        return product / (values.reduce(0) { $0 + $1 * $1 } / Double(values.count))
    }

    @Test(
        "sigma per axis and tau are those of the model",
        arguments: [("open", 2.5), ("suburb", 5), ("urban", 12), ("canyon", 20)])
    func fast(name: String, sigma: Double) throws {
        let noise = try #require(ReceiverNoise(name: name))
        // 300,000 s are 3,300 independent samples of tau 45 s: 1 sigma of the estimate is 1.2 %.
        let errors = try errors(noise, seconds: 300_000)
        for axis in [errors.map(\.eastMeters), errors.map(\.northMeters)] {
            #expect(abs(deviation(axis) / sigma - 1) < 0.04, "seed \(Self.seed)")
            // exp(-1) one time constant later.
            #expect(abs(correlation(axis, lag: 5) - 0.368) < 0.05, "seed \(Self.seed)")
            #expect(abs(correlation(axis, lag: 1) - 0.819) < 0.02, "seed \(Self.seed)")
            #expect(abs(correlation(axis, lag: 50)) < 0.08, "seed \(Self.seed)")
        }
        let cross =
            zip(errors.map(\.eastMeters), errors.map(\.northMeters))
            .reduce(0) { $0 + $1.0 * $1.1 } / Double(errors.count) / (sigma * sigma)
        #expect(abs(cross) < 0.08)
    }

    @Test("with 80 % of the variance slow, the errors of ten minutes still resemble each other")
    func slow() throws {
        var noise = try #require(ReceiverNoise(name: "urban"))
        noise.slowShare = 0.8
        noise.slowTauSeconds = 1200
        let axis = try errors(noise, seconds: 600_000, period: 30).map(\.eastMeters)
        #expect(abs(deviation(axis) / 12 - 1) < 0.1, "seed \(Self.seed)")
        // 0.8 x exp(-0.5)
        #expect(abs(correlation(axis, lag: 20) - 0.485) < 0.1, "seed \(Self.seed)")
    }

    @Test("without noise the reported position is the true one")
    func none() throws {
        let noise = try #require(ReceiverNoise(name: "none"))
        let errors = try errors(noise, seconds: 100)
        #expect(errors.allSatisfy { $0.lengthMeters == 0 })
    }

    @Test("jumps come as often as asked for and go as far")
    func jumps() throws {
        var noise = try #require(ReceiverNoise(name: "none"))
        noise.jumpsPerHour = 60
        let lengths = try errors(noise, seconds: 100_000, period: 1)
            .map(\.lengthMeters)
        let begun = zip(lengths, lengths.dropFirst()).filter { $0 == 0 && $1 > 0 }.count
        // One a minute of the time without one, and 9 s long on average.
        #expect(abs(Double(begun) / (100_000 / 69) - 1) < 0.1, "\(begun) seed \(Self.seed)")
        #expect(lengths.allSatisfy { $0 == 0 || (9.99...60.01).contains($0) })
    }

    @Test("an unknown name is no noise")
    func unknown() {
        #expect(ReceiverNoise(name: "ocean") == nil)
        for name in ReceiverNoise.names { #expect(ReceiverNoise(name: name) != nil) }
    }

    @Test("the claimed radius holds 68 % of the errors, half of it far fewer")
    func claim() throws {
        let noise = try #require(ReceiverNoise(name: "suburb"))
        let errors = try errors(noise, seconds: 300_000)
        func share(within meters: Double) -> Double {
            Double(errors.filter { $0.lengthMeters <= meters }.count) / Double(errors.count)
        }
        let radius = noise.claimedHDOP * 5 * 1.07
        #expect(abs(share(within: radius) - 0.68) < 0.02)
        var flattering = noise
        flattering.claimFactor = 0.5
        #expect(abs(flattering.claimedHDOP / noise.claimedHDOP - 0.5) < 1e-9)
        #expect(share(within: radius / 2) < 0.3)
    }
}
