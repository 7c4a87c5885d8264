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
    public var elements: [JSONNode] {
        guard kind == .array else { return [] }
        return children
    }

    /// The members of an object in their order; empty for everything else.
    public var members: [(name: String, value: JSONNode)] {
        guard kind == .object else { return [] }
        let all = children
        return stride(from: 0, to: all.count - 1, by: 2).map { place in
            (String(decoding: all[place].unescaped, as: UTF8.self), all[place + 1])
        }
    }

    /// The member of a name; nil: this is not an object that has it.
    public func member(_ name: String) -> JSONNode? { members.first { $0.name == name }?.value }

    /// The value below this one that a decoder calls so; nil: there is none.
    func descendant(_ path: [any CodingKey]) -> JSONNode? {
        path.reduce(self) { node, key in
            guard let index = key.intValue else { return node?.member(key.stringValue) }
            let elements = node?.elements ?? []
            return elements.indices.contains(index) ? elements[index] : nil
        }
    }

    /// The content of a string or name.
    public var unescaped: [UInt8] { JSONText.unescape(text.dropFirst().dropLast()) }

    /// The content of a string; nil for everything else.
    public var string: String? {
        kind == .string ? String(decoding: unescaped, as: UTF8.self) : nil
    }

    private var children: [JSONNode] {
        var result: [JSONNode] = []
        var next = index + 1
        let end = document.nodes[index].end
        while next < end {
            result.append(JSONNode(document: document, index: next))
            next = document.nodes[next].end
        }
        return result
    }
}
