/// A JSON text (RFC 8259) that has been checked and taken apart without being copied.
///
/// Beside the grammar it holds the text to the wire's limits: depth 16, finite numbers, valid
/// UTF-8, no name twice in one object.
public struct JSONDocument: Sendable {
    public static let maximumDepth = 16

    public let bytes: [UInt8]
    /// All values in the order of their first byte; a parent stands before what it holds.
    let nodes: [Node]

    public init(_ bytes: [UInt8]) throws(JSONSyntaxError) {
        self.bytes = bytes
        var parser = JSONParser(bytes)
        nodes = try parser.parse()
    }

    public var root: JSONNode { JSONNode(document: self, index: 0) }

    struct Node: Sendable {
        var kind: Kind
        /// Where the text of the value begins and ends.
        var range: Range<Int>
        /// Index of the first node after this value.
        var end: Int
        /// Whether it has no escapes: its text is its content.
        var isPlain = true
    }

    public enum Kind: Hashable, Sendable {
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
        let range = document.nodes[index].range
        return document.bytes[range.lowerBound + 1..<range.upperBound - 1]
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
