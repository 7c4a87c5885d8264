/// A document that is not what the wire says, with the place of the defect.
///
/// The description goes to journals, which hold no coordinates; where on Earth a defect lies is
/// said apart, for those who gave the document.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// JSON pointer (RFC 6901) to the offending value; empty: the whole document.
    public var pointer: String
    /// What is wrong with it, with the value where it is short and no coordinate.
    public var detail: String
    /// Where on Earth, "lon 13.07, lat 52.13", as the document has it; nil: no place.
    public var place: String?

    public init(pointer: String, detail: String, place: String? = nil) {
        self.pointer = pointer
        self.detail = detail
        self.place = place
    }

    public var description: String { pointer.isEmpty ? detail : "\(pointer): \(detail)" }

    /// The detail for the author of the document, with the place.
    public var placedDetail: String { detail + (place.map { " at \($0)" } ?? "") }

    /// The description for the author of the document, with the place.
    public var placedDescription: String {
        pointer.isEmpty ? placedDetail : "\(pointer): \(placedDetail)"
    }

    static func place(longitude: Double, latitude: Double) -> String {
        "lon \(longitude), lat \(latitude)"
    }

    /// `document` is what was read: the decoder's own words for a value are not for people.
    init(_ error: DecodingError, in document: JSONDocument?) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(pointer: Self.pointer(context.codingPath + [key]), detail: "missing")
        case .typeMismatch(let type, let context):
            self.init(pointer: Self.pointer(context.codingPath), detail: "not a \(Self.name(type))")
        case .valueNotFound(_, let context):
            self.init(pointer: Self.pointer(context.codingPath), detail: "must not be null")
        case .dataCorrupted(let context):
            self.init(
                pointer: Self.pointer(context.codingPath),
                detail: Self.refusal(of: document?.root.descendant(context.codingPath)))
        @unknown default:
            self.init(pointer: "", detail: "not readable")
        }
    }

    private static func refusal(of value: JSONNode?) -> String {
        if let text = value?.string { return "'\(text.prefix(40))' is not allowed here" }
        guard let value, value.kind == .number else { return "not a value that is allowed here" }
        let text = String(decoding: value.text.prefix(40), as: UTF8.self)
        return "\(text) is not a whole number that is allowed here"
    }

    public static func pointer(_ path: [any CodingKey]) -> String {
        path.map { "/" + ($0.intValue.map(String.init) ?? $0.stringValue) }.joined()
    }

    private static func name(_ type: Any.Type) -> String {
        switch type {
        case is String.Type: "string"
        case is Bool.Type: "boolean"
        case is Int.Type, is Int64.Type: "whole number"
        case is Double.Type: "number"
        case is [String: Any].Type: "object"
        default: "value of the expected kind"
        }
    }
}
