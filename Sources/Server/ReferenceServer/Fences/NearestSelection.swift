import WireFormat

/// The part of the nearest fences that fits into an answer, with the radius that goes with it.
struct NearestSelection: Sendable {
    /// Of the fences, ascending by edge distance.
    let tags: [Int64]
    /// Their JSON with the distance, as an array.
    let array: [UInt8]
    /// Edge distance of the nearest fence that is not here; nil: all are.
    let coverageRadiusMeters: Double?

    /// Bytes of an answer beside its fences, generously.
    static let envelopeBytes = 4_096
    /// Bytes that a distance adds to a fence, generously.
    private static let distanceBytes = 48
    /// How a fence in an answer begins.
    private static let distanceMember = Array("{\"distance_m\":".utf8)

    /// Takes what fits into `byteLimit`, but at least one fence: where fences are very detailed, an
    /// answer that arrives with a smaller radius is worth more than one that is too large.
    init(_ nearest: NearestFences, byteLimit: Int) {
        var array: [UInt8] = [UInt8(ascii: "[")]
        array.reserveCapacity(
            min(
                byteLimit,
                nearest.fences.reduce(2) { $0 + $1.fence.document.count + Self.distanceBytes }))
        var tags: [Int64] = []
        tags.reserveCapacity(nearest.fences.count)
        for ranked in nearest.fences {
            let end = array.count
            if !tags.isEmpty { array.append(UInt8(ascii: ",")) }
            array += Self.distanceMember
            JSONScalar.number(ranked.distanceMeters).append(to: &array)
            JSONObjectText.append(restOf: ranked.fence.document, to: &array)
            if Self.envelopeBytes + array.count > byteLimit, !tags.isEmpty {
                array.removeLast(array.count - end)
                break
            }
            tags.append(ranked.fence.tag)
        }
        array.append(UInt8(ascii: "]"))
        self.array = array
        self.tags = tags
        coverageRadiusMeters =
            tags.count < nearest.fences.count
            ? nearest.fences[tags.count].distanceMeters : nearest.nextDistanceMeters
    }
}
