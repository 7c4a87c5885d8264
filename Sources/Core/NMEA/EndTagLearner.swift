/// Learns which sentence a receiver sends last in its epochs, so that an epoch can be closed the
/// moment it is complete instead of after a pause.
///
/// It is no more than a short cut: whatever shows that it was wrong makes it forget, and then a
/// pause or a new time closes the epochs as before. The mix changes when the fix is lost.
struct EndTagLearner {
    /// Epochs in a row that must end alike.
    static let epochsUntilLearned = 3

    private var learned: SentenceTag?
    private var candidate = SentenceTag()
    private var repeats = 0
    private var last = SentenceTag()
    private var run: UInt32 = 0

    /// Notes a sentence of the open epoch; true when it is the one that ends epochs.
    mutating func note(_ tag: SentenceTag) -> Bool {
        // Two GSA of one talker, without a system id, differ in nothing but their place.
        run = tag == last ? run + 1 : 0
        last = tag
        return learned == place
    }

    /// An epoch has been closed.
    mutating func close() {
        if place == candidate {
            repeats += 1
            if repeats >= Self.epochsUntilLearned { learned = candidate }
        } else {
            learned = nil
            candidate = place
            repeats = 1
        }
        last = SentenceTag()
        run = 0
    }

    mutating func forget() {
        learned = nil
        repeats = 0
        candidate = SentenceTag()
    }

    private var place: SentenceTag {
        SentenceTag(characters: last.characters, detail: last.detail &+ run &<< 16)
    }
}
