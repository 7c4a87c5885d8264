import Geodesy

/// Notices a receiver that repeats one position to the last digit while it claims to move.
struct FrozenPosition: Hashable, Sendable {
    private var coordinate: Coordinate?
    private var repeats = 0

    /// Takes in an epoch and says whether the position is frozen.
    mutating func isFrozen(_ fix: Fix, rules: FixFilterRules) -> Bool {
        guard let position = fix.coordinate, let speed = fix.speed, speed > rules.frozenMinSpeed
        else {
            self = FrozenPosition()
            return false
        }
        repeats = position == coordinate ? repeats &+ 1 : 1
        coordinate = position
        return repeats >= rules.frozenEpochs
    }
}
