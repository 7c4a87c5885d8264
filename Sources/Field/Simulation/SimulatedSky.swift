/// Twelve satellites that stand still, which is enough for what a listener makes of them.
struct SimulatedSky: Sendable {
    struct Satellite: Sendable {
        let number: Int
        /// Degrees, 5 ... 85.
        let elevation: Int
        /// Degrees, 0 ..< 360.
        let azimuth: Int
        /// dB-Hz under a free sky.
        let signal: Int
    }

    /// Strongest first.
    let satellites: [Satellite]
    private var generator: SeededGenerator

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed, stream: 3)
        let numbers = Array(1...32).shuffled(using: &generator).prefix(12)
        satellites = numbers.map { number in
            let elevation = Int.random(in: 5...85, using: &generator)
            return Satellite(
                number: number, elevation: elevation,
                azimuth: Int.random(in: 0..<360, using: &generator), signal: 36 + elevation / 6)
        }.sorted { ($0.signal, $1.number) > ($1.signal, $0.number) }
        self.generator = generator
    }

    /// The strengths now, dB-Hz, in the order of `satellites`; nil: not received.
    mutating func signals(loss: Int, isCovered: Bool) -> [Int?] {
        satellites.map { satellite in
            let strength = satellite.signal - loss + Int.random(in: -1...1, using: &generator)
            return isCovered || strength < 12 ? nil : strength
        }
    }
}
