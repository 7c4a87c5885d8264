/// The tags of the position sentences of an epoch without time: when one comes again, so does the
/// next epoch.
struct UntimedTags {
    /// More talkers than these in one epoch, without any time, do not happen.
    private static let capacity = 8
    private var tags: [SentenceTag] = []

    init() {}

    init(first tag: SentenceTag) { tags = [tag] }

    /// False where the tag has been there.
    mutating func insert(_ tag: SentenceTag) -> Bool {
        guard !tags.contains(tag), tags.count < Self.capacity else { return false }
        tags.append(tag)
        return true
    }
}
