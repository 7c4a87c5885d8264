/// The address of a sentence ("GNRMC"), packed into a number: cheap to compare and to remember.
struct SentenceTag: Hashable {
    /// Up to eight characters, the last one lowest; 0 is no sentence.
    var characters: UInt64 = 0
    /// What tells apart the sentences of one address within an epoch: system, signal, part.
    var detail: UInt32 = 0
}
