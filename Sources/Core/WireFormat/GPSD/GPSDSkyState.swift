/// What the SKY reports of one receiver add up to: some bring the satellites, some the dilution.
struct GPSDSkyState: Hashable, Sendable {
    /// An older state says nothing about an epoch, milliseconds.
    static let longestUseMilliseconds: Int64 = 10_000

    private(set) var hdop: Double?
    /// The one before: gpsd's own estimate in TPV may still be made from it.
    private(set) var previousHDOP: Double?
    private(set) var satellitesUsed: Int?
    private(set) var satellitesInView: Int?
    private(set) var bestSignal: Int?
    private var dilutionAt: Int64 = 0
    private var satellitesAt: Int64 = 0

    /// - Parameter clock: milliseconds on any clock that goes forward.
    mutating func add(_ sky: GPSDSky, at clock: Int64) {
        if let new = sky.hdop {
            previousHDOP = hdop
            hdop = new
            dilutionAt = clock
        }
        if let used = sky.satellitesUsed { satellitesUsed = used }
        if let inView = sky.satellitesInView {
            satellitesInView = inView
            bestSignal = sky.bestSignal
        }
        if sky.satellitesUsed != nil || sky.satellitesInView != nil { satellitesAt = clock }
    }

    /// What came before the clock was known came now.
    mutating func date(_ clock: Int64) {
        if hdop != nil { dilutionAt = clock }
        if satellitesUsed != nil || satellitesInView != nil { satellitesAt = clock }
    }

    /// Without what is too old.
    func current(at clock: Int64) -> GPSDSkyState {
        var state = self
        if clock &- dilutionAt > Self.longestUseMilliseconds {
            state.hdop = nil
            state.previousHDOP = nil
        }
        if clock &- satellitesAt > Self.longestUseMilliseconds {
            state.satellitesUsed = nil
            state.satellitesInView = nil
            state.bestSignal = nil
        }
        return state
    }
}
