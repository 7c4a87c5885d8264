extension JSONNode {
    /// The same bytes for the same value however it was written: names in order, no spaces, no
    /// members that are null, numbers and strings in one form.
    ///
    /// Payloads are compared by it, so an agent may change how it writes a value but not the value.
    public var canonical: [UInt8] {
        document.bytes.withUnsafeBufferPointer { bytes in
            document.nodes.withUnsafeBufferPointer { nodes in
                var text = CanonicalText(bytes: bytes, nodes: nodes)
                text.output.reserveCapacity(nodes[index].range.count)
                text.append(index)
                text.endRun()
                return text.output
            }
        }
    }
}

/// Writes values of a document, whose arrays outlive it, in their canonical form.
///
/// What comes out as it stands is copied in one run, which for events as agents send them is all.
private struct CanonicalText {
    let bytes: UnsafeBufferPointer<UInt8>
    let nodes: UnsafeBufferPointer<JSONDocument.Node>
    var output: [UInt8] = []
    /// Of the document, still to be copied to the end of the output.
    private var run = 0..<0

    init(
        bytes: UnsafeBufferPointer<UInt8>, nodes: UnsafeBufferPointer<JSONDocument.Node>
    ) {
        self.bytes = bytes
        self.nodes = nodes
    }

    mutating func endRun() {
        output.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[run]))
        run = 0..<0
    }

    private mutating func copy(_ range: Range<Int>) {
        if run.isEmpty || range.lowerBound != run.upperBound {
            endRun()
            run = range
        } else {
            run = run.lowerBound..<range.upperBound
        }
    }

    private mutating func write(_ character: Unicode.Scalar) {
        let byte = UInt8(ascii: character)
        if !run.isEmpty, run.upperBound < bytes.count, bytes[run.upperBound] == byte {
            run = run.lowerBound..<run.upperBound + 1
        } else {
            endRun()
            output.append(byte)
        }
    }

    mutating func append(_ index: Int) {
        let node = nodes[index]
        switch node.kind {
        case .null, .bool: copy(node.range)
        case .number: appendNumber(node.range)
        case .string, .name: appendString(node)
        case .array: appendArray(index)
        case .object: appendObject(index)
        }
    }

    /// A text without escapes is in the one form already.
    private mutating func appendString(_ node: JSONDocument.Node) {
        if node.isPlain {
            copy(node.range)
        } else {
            endRun()
            JSONText.append(quoted: content(node), to: &output)
        }
    }

    private func content(_ node: JSONDocument.Node) -> [UInt8] {
        let inner = Array(bytes[node.inner])
        return node.isPlain ? inner : JSONText.unescape(inner[...])
    }

    private mutating func appendArray(_ index: Int) {
        write("[")
        var child = index + 1
        while child < nodes[index].end {
            if child > index + 1 { write(",") }
            append(child)
            child = nodes[child].end
        }
        write("]")
    }

    // MARK: Objects

    private mutating func appendObject(_ index: Int) {
        write("{")
        var isFirst = true
        // As agents send them: nothing has to be sorted.
        if nodes[index].hasOrderedNames {
            forEachName(of: index) { text, name in text.appendMember(name, &isFirst) }
        } else {
            for name in namesInOrder(index) { appendMember(name, &isFirst) }
        }
        write("}")
    }

    private mutating func forEachName(
        of index: Int, _ visit: (inout CanonicalText, _ name: Int) -> Void
    ) {
        var name = index + 1
        while name < nodes[index].end {
            visit(&self, name)
            // The node after a name is its value.
            name = nodes[name + 1].end
        }
    }

    private mutating func appendMember(_ name: Int, _ isFirst: inout Bool) {
        guard nodes[name + 1].kind != .null else { return }
        if !isFirst { write(",") }
        isFirst = false
        appendString(nodes[name])
        write(":")
        append(name + 1)
    }

    /// In the order of the names as texts, which for ASCII is that of their bytes.
    private func namesInOrder(_ index: Int) -> [Int] {
        var names: [(content: [UInt8], index: Int)] = []
        var name = index + 1
        while name < nodes[index].end {
            names.append((content(nodes[name]), name))
            name = nodes[name + 1].end
        }
        if names.allSatisfy({ $0.content.allSatisfy { $0 < 0x80 } }) {
            names.sort { $0.content.lexicographicallyPrecedes($1.content) }
        } else {
            names.sort {
                String(decoding: $0.content, as: UTF8.self)
                    < String(decoding: $1.content, as: UTF8.self)
            }
        }
        return names.map(\.index)
    }

    // MARK: Numbers

    /// Whole numbers as they stand; others as the shortest text of the same Double.
    private mutating func appendNumber(_ range: Range<Int>) {
        let digits = UnsafeBufferPointer(rebasing: bytes[range])
        if Self.isCanonicalNumber(digits) { return copy(range) }
        let value = JSONObjectScanner.number(digits)
        let whole = Int64(digits: digits) ?? value.flatMap { Int64(exactly: $0) }
        guard var text = whole.map({ String($0) }) ?? value.map({ String($0) }) else {
            return copy(range)
        }
        text.withUTF8 { text in
            if text.elementsEqual(digits) { return copy(range) }
            endRun()
            output.append(contentsOf: text)
        }
    }

    /// Whether a number surely is written as Swift writes it. False may be wrong.
    ///
    /// Whole: digits that an Int64 holds, but not "-0". With decimals: up to 15 significant digits,
    /// the last of them not 0. A Double tells any two such numbers apart, so none is a shorter text of
    /// the same one; from 0.0001 on no exponent is written.
    private static func isCanonicalNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var digits = 0
        var point: Int?
        var leadingZeros = 0
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if digits == leadingZeros, byte == UInt8(ascii: "0") { leadingZeros += 1 }
                digits += 1
            case UInt8(ascii: "."): point = index
            case UInt8(ascii: "-"): if index > 0 { return false }
            default: return false
            }
        }
        guard point != nil else { return digits <= 18 && !(text.count == 2 && leadingZeros == 1) }
        // The zero before the point is one of four: 0.0001.
        return digits - leadingZeros <= 15 && digits - leadingZeros > 0 && leadingZeros <= 4
            && text.last != UInt8(ascii: "0")
    }
}
