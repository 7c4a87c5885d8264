/// A text that equals another one only where their bytes do, as in the database.
///
/// A `String` equals every spelling of itself that Unicode calls canonically equivalent: of "\u{E9}" and
/// "e\u{301}" a set keeps one, and the database both.
struct ExactText: Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: ExactText, right: ExactText) -> Bool {
        left.withBytes { bytes in right.withBytes { bytes.elementsEqual($0) } }
    }

    func hash(into hasher: inout Hasher) {
        withBytes { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        var text = text
        return text.withUTF8(body)
    }

    /// The first of each.
    static func unique(_ texts: [String]) -> [String] {
        var seen: Set<ExactText> = []
        return texts.filter { seen.insert(ExactText($0)).inserted }
    }

    /// The first of `texts` that is one of `others` in another spelling.
    static func otherSpelling(of others: [String], among texts: [String]) -> String? {
        let names = Dictionary(others.map { ($0, $0) }, uniquingKeysWith: { first, _ in first })
        return texts.first { text in
            names[text].map { ExactText($0) != ExactText(text) } ?? false
        }
    }
}
