import Geodesy

/// The error of a simulated receiver over time: two Gauss-Markov processes an axis, and jumps.
struct PositionError: Sendable {
    private let noise: ReceiverNoise
    private var generator: SeededGenerator
    private var jumpGenerator: SeededGenerator
    private var east: [GaussMarkov]
    private var north: [GaussMarkov]
    private var jump: (offset: PlaneOffset, secondsLeft: Double)?

    init(_ noise: ReceiverNoise, seed: UInt64) {
        self.noise = noise
        var generator = SeededGenerator(seed: seed, stream: 1)
        let fast = noise.sigmaMeters * (1 - noise.slowShare).squareRoot()
        let slow = noise.sigmaMeters * noise.slowShare.squareRoot()
        func axis() -> [GaussMarkov] {
            [
                GaussMarkov(sigma: fast, tauSeconds: noise.tauSeconds, using: &generator),
                GaussMarkov(sigma: slow, tauSeconds: noise.slowTauSeconds, using: &generator),
            ]
        }
        east = axis()
        north = axis()
        self.generator = generator
        jumpGenerator = SeededGenerator(seed: seed, stream: 2)
    }

    /// Metres off the truth now.
    var offset: PlaneOffset {
        let drift = PlaneOffset(
            eastMeters: east.reduce(0) { $0 + $1.value },
            northMeters: north.reduce(0) { $0 + $1.value })
        return drift + (jump?.offset ?? PlaneOffset(eastMeters: 0, northMeters: 0))
    }

    mutating func advance(seconds: Double) {
        for index in east.indices { east[index].advance(seconds: seconds, using: &generator) }
        for index in north.indices { north[index].advance(seconds: seconds, using: &generator) }
        if let current = jump {
            let left = current.secondsLeft - seconds
            jump = left > 0 ? (current.offset, left) : nil
        } else if jumpGenerator.uniform() < 1
            - GaussMarkov.decay(
                noise.jumpsPerHour * seconds / 3600)
        {
            let length = jumpGenerator.uniform(in: noise.jumpMeters)
            let way = PlaneOffset(eastMeters: 0, northMeters: length)
                .turned(byRadians: jumpGenerator.uniform(in: 0..<2 * .pi))
            jump = (way, jumpGenerator.uniform(in: noise.jumpSeconds))
        }
    }
}
