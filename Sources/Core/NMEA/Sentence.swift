/// A sentence with its type known and its fields not read yet.
///
/// It points into the caller's bytes and lives no longer than the call that hands it out.
struct Sentence {
    var tag = SentenceTag()
    let kind: SentenceKind
    var fields: FieldCursor

    /// Longer addresses are of no type that is read here.
    private static let maximumAddressBytes = 8

    @inline(__always)
    init(_ body: SentenceBody) {
        var place = body.start
        while place < body.end, place[0] != Byte.comma {
            tag.characters = tag.characters &<< 8 | UInt64(place[0])
            place += 1
        }
        let count = place - body.start
        fields = FieldCursor(fieldsFrom: place + 1, to: body.end)
        kind =
            count >= 3 && count <= Self.maximumAddressBytes
            ? SentenceKind(tag, isProprietary: body.start[0] == Letter.proprietary) : .other
    }
}
