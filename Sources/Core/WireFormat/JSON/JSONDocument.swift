/// A JSON text (RFC 8259) that has been checked and taken apart without being copied.
///
/// Beside the grammar it holds the text to the wire's limits: depth 16, finite numbers, valid
/// UTF-8, no name twice in one object.
public struct JSONDocument: Sendable {
    public static let maximumDepth = 16

    private let contents: Contents

    public init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        contents = Contents(bytes: bytes, nodes: try JSONParser.nodes(of: bytes))
    }

    public var bytes: [UInt8] { contents.bytes }
    /// All values in the order of their first byte; a parent stands before what it holds.
    var nodes: [Node] { contents.nodes }

    /// One object, so that a node of it costs one reference.
    private final class Contents: Sendable {
        let bytes: [UInt8]
        let nodes: [Node]

        init(bytes: [UInt8], nodes: [Node]) {
            self.bytes = bytes
            self.nodes = nodes
        }
    }

    public var root: JSONNode { JSONNode(document: self, index: 0) }

    /// 16 bytes: a batch has tens of thousands.
    struct Node: Sendable {
        private let start: UInt32
        private var stop: UInt32
        private var next: UInt32
        let kind: Kind
        /// Whether it has no escapes: its text is its content.
        let isPlain: Bool
        /// Of an object: its names are ASCII without escapes and in their order.
        private(set) var hasOrderedNames = false

        /// The parser takes no text for which these numbers were too small.
        init(kind: Kind, range: Range<Int>, end: Int, isPlain: Bool = true) {
            start = UInt32(truncatingIfNeeded: range.lowerBound)
            stop = UInt32(truncatingIfNeeded: range.upperBound)
            next = UInt32(truncatingIfNeeded: end)
            self.kind = kind
            self.isPlain = isPlain
        }

        /// Where the text of the value begins and ends.
        var range: Range<Int> { Int(start)..<Int(stop) }
        /// The text of a string or name between its quotes.
        var inner: Range<Int> { Int(start) + 1..<Int(stop) - 1 }
        /// Index of the first node after this value.
        var end: Int { Int(next) }

        mutating func close(at position: Int, end: Int, hasOrderedNames: Bool) {
            self.hasOrderedNames = hasOrderedNames
            stop = UInt32(truncatingIfNeeded: position)
            next = UInt32(truncatingIfNeeded: end)
        }
    }

    public enum Kind: UInt8, Hashable, Sendable {
        case null, bool, number, string, array, object
        /// The name of the member whose value follows.
        case name
    }
}

/// One value of a document.
public struct JSONNode: Sendable {
    let document: JSONDocument
    let index: Int

    public var kind: JSONDocument.Kind { document.nodes[index].kind }

    /// The text of the value.
    public var text: ArraySlice<UInt8> { document.bytes[document.nodes[index].range] }

    /// The elements of an array; empty for everything else.
    public var elements: [JSONNode] { kind == .array ? Array(children) : [] }

    /// The members of an object in their order; empty for everything else.
    public var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        var result: [(name: String, value: JSONNode)] = []
        var rest = children
        while let name = rest.next(), let value = rest.next() {
            result.append((name.content, value))
        }
        return result
    }

    /// The member of a name; nil: this is not an object that has it.
    public func member(_ name: String) -> JSONNode? {
        guard kind == .object else { return nil }
        var rest = children
        while let candidate = rest.next(), let value = rest.next() {
            if candidate.content == name { return value }
        }
        return nil
    }

    /// Hands the members of an object over in their order, names without quotes and escapes, until
    /// `visit` answers false. There are none in anything else.
    public func forEachMember(_ visit: (_ name: ArraySlice<UInt8>, JSONNode) -> Bool) {
        guard kind == .object else { return }
        var rest = children
        while let name = rest.next(), let value = rest.next() {
            guard visit(name.isPlain ? name.inner : name.unescaped[...], value) else { return }
        }
    }

    /// The value below this one that a decoder calls so; nil: there is none.
    func descendant(_ path: [any CodingKey]) -> JSONNode? {
        path.reduce(self) { node, key in
            guard let index = key.intValue else { return node?.member(key.stringValue) }
            let elements = node?.elements ?? []
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }

    /// The content of a string or name.
    public var unescaped: [UInt8] { isPlain ? Array(inner) : JSONText.unescape(inner) }

    /// The content of a string; nil for everything else.
    public var string: String? { kind == .string ? content : nil }

    /// The content of a string or name without escapes, or with them replaced.
    private var content: String {
        isPlain
            ? String(decoding: inner, as: UTF8.self) : String(decoding: unescaped, as: UTF8.self)
    }

    /// Whether the text of a string or name is its content.
    var isPlain: Bool { document.nodes[index].isPlain }

    /// The text of a string or name between its quotes.
    var inner: ArraySlice<UInt8> {
        document.bytes[document.nodes[index].inner]
    }

    /// What stands directly below an array or object: elements, or each name and then its value.
    var children: Children {
        Children(document: document, index: index + 1, end: document.nodes[index].end)
    }

    struct Children: Sequence, IteratorProtocol {
        fileprivate let document: JSONDocument
        fileprivate var index: Int
        fileprivate let end: Int

        /// Nil: there are no more.
        var first: JSONNode? { index < end ? JSONNode(document: document, index: index) : nil }

        mutating func next() -> JSONNode? {
            guard let first else { return nil }
            index = document.nodes[index].end
            return first
        }
    }
}
