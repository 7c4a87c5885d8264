/// One value of a document whose arrays outlive it: looking at it counts no references and copies
/// nothing, so that a batch of events costs little more than its bytes.
struct PlainNode {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let nodes: UnsafeBufferPointer<JSONDocument.Node>
    private let index: Int

    fileprivate init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ nodes: UnsafeBufferPointer<JSONDocument.Node>,
        at index: Int
    ) {
        self.bytes = bytes
        self.nodes = nodes
        self.index = index
    }

    var kind: JSONDocument.Kind { nodes[index].kind }

    /// The text of the value.
    var text: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[nodes[index].range])
    }

    /// The content of a string; nil for everything else.
    var string: String? {
        guard kind == .string else { return nil }
        return withContent { String(decoding: $0, as: UTF8.self) }
    }

    /// Gives `body` the content of a string or name, without quotes and escapes.
    func withContent<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        let inner = UnsafeBufferPointer(rebasing: bytes[nodes[index].inner])
        guard !nodes[index].isPlain else { return body(inner) }
        return JSONText.unescape(Array(inner)[...]).withUnsafeBufferPointer(body)
    }

    /// Hands the members of an object over in their order, until `visit` answers false.
    func forEachMember(_ visit: (UnsafeBufferPointer<UInt8>, PlainNode) -> Bool) {
        var name = index + 1
        while name < nodes[index].end {
            // The node after a name is its value.
            let value = at(name + 1)
            guard at(name).withContent({ visit($0, value) }) else { return }
            name = nodes[name + 1].end
        }
    }

    /// Hands the elements of an array over in their order, until `visit` answers false.
    func forEachElement(_ visit: (PlainNode) -> Bool) {
        var element = index + 1
        while element < nodes[index].end {
            guard visit(at(element)) else { return }
            element = nodes[element].end
        }
    }

    private func at(_ index: Int) -> PlainNode { PlainNode(bytes, nodes, at: index) }
}

extension JSONNode {
    /// Gives `body` this value; it must not be kept.
    func withPlain<Result>(_ body: (PlainNode) -> Result) -> Result {
        document.bytes.withUnsafeBufferPointer { bytes in
            document.nodes.withUnsafeBufferPointer { nodes in
                body(PlainNode(bytes, nodes, at: index))
            }
        }
    }
}
