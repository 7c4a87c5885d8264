/// What a string in a payload is that stands for 16 bytes; any other begins with its length, moved up by
/// the number of these forms.
enum PayloadID: UInt64, CaseIterable {
    /// Lower case with hyphens.
    case uuid = 0
    /// 32 lower-case digits.
    case digits = 1

    /// For ever: rows on disk rest upon it.
    static let formCount: UInt64 = 2

    /// Nil for a text that is of neither form.
    static func bytes(_ text: UnsafeBufferPointer<UInt8>) -> (UUIDBytes, PayloadID)? {
        let form: PayloadID = text.count == UUIDBytes.textCount ? .uuid : .digits
        return UUIDBytes(written: text, isHyphenated: form == .uuid).map { ($0, form) }
    }

    func text(_ bytes: UUIDBytes) -> String {
        switch self {
        case .uuid: bytes.text
        case .digits: bytes.digits
        }
    }
}
