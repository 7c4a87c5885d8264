/// A document that is not what the wire says, with the place of the defect.
public struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// JSON pointer (RFC 6901) to the offending value; empty: the whole document.
    public var pointer: String
    /// What is wrong with it, with the value where it is short.
    public var detail: String

    public init(pointer: String, detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    public var description: String { pointer.isEmpty ? detail : "\(pointer): \(detail)" }

    init(_ error: DecodingError) {
        switch error {
        case .keyNotFound(let key, let context):
            self.init(pointer: Self.pointer(context.codingPath + [key]), detail: "missing")
        case .typeMismatch(let type, let context):
            self.init(pointer: Self.pointer(context.codingPath), detail: "not a \(Self.name(type))")
        case .valueNotFound(_, let context):
            self.init(pointer: Self.pointer(context.codingPath), detail: "must not be null")
        case .dataCorrupted(let context):
            self.init(pointer: Self.pointer(context.codingPath), detail: context.debugDescription)
        @unknown default:
            self.init(pointer: "", detail: "not readable")
        }
    }

    static func pointer(_ path: [any CodingKey]) -> String {
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
