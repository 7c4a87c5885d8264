/// The part of the nearest fences that fits into an answer, with the radius that goes with it.
struct NearestSelection: Sendable {
    /// Ascending by edge distance.
    let fences: [StoredFence]
    /// Their JSON with the distance.
    let documents: [[UInt8]]
    /// Edge distance of the nearest fence that is not here; nil: all are.
    let coverageRadiusMeters: Double?

    /// Bytes of an answer beside its fences, generously.
    static let envelopeBytes = 4_096

    /// Takes what fits into `byteLimit`, but at least one fence: where fences are very detailed, an
    /// answer that arrives with a smaller radius is worth more than one that is too large.
    init(_ nearest: NearestFences, byteLimit: Int) {
        var documents: [[UInt8]] = []
        var bytes = Self.envelopeBytes
        for ranked in nearest.fences {
            let document = JSONObjectText.prefixing(
                [("distance_m", .number(ranked.distanceMeters))], to: ranked.fence.document)
            bytes += document.count + 1
            if bytes > byteLimit, !documents.isEmpty { break }
            documents.append(document)
        }
        self.documents = documents
        fences = nearest.fences.prefix(documents.count).map(\.fence)
        coverageRadiusMeters =
            documents.count < nearest.fences.count
            ? nearest.fences[documents.count].distanceMeters : nearest.nextDistanceMeters
    }
}
