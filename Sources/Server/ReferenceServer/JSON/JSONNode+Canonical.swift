import WireFormat

extension JSONNode {
    /// The same bytes for the same value however it was written: names in order, no spaces, no
    /// members that are null, numbers and strings in one form.
    ///
    /// Payloads are compared by it, so an agent may change how it writes a value but not the value.
    var canonical: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        append(to: &output)
        return output
    }

    private func append(to output: inout [UInt8]) {
        switch kind {
        case .null, .bool: output += text
        case .number: appendNumber(to: &output)
        case .string, .name: appendString(to: &output)
        case .array: appendArray(to: &output)
        case .object: appendObject(to: &output)
        }
    }

    /// A text without escapes is in the one form already.
    private func appendString(to output: inout [UInt8]) {
        let text = text
        if text.contains(UInt8(ascii: "\\")) {
            JSONText.append(quoted: unescaped, to: &output)
        } else {
            output += text
        }
    }

    private func appendArray(to output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            element.append(to: &output)
        }
        output.append(UInt8(ascii: "]"))
    }

    private func appendObject(to output: inout [UInt8]) {
        var members: [(name: ArraySlice<UInt8>, value: JSONNode)] = []
        members.reserveCapacity(32)
        forEachMember { name, value in
            if value.kind != .null { members.append((name, value)) }
            return true
        }
        Self.sort(&members)
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.append(quoted: member.name, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.append(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// In the order of the names as texts, which for ASCII is that of their bytes. Agents send them
    /// in this order.
    private static func sort(_ members: inout [(name: ArraySlice<UInt8>, value: JSONNode)]) {
        guard members.allSatisfy({ $0.name.allSatisfy { $0 < 0x80 } }) else {
            return members.sort {
                String(decoding: $0.name, as: UTF8.self) < String(decoding: $1.name, as: UTF8.self)
            }
        }
        let isSorted = zip(members, members.dropFirst()).allSatisfy {
            $0.name.lexicographicallyPrecedes($1.name)
        }
        if !isSorted { members.sort { $0.name.lexicographicallyPrecedes($1.name) } }
    }

    /// Whole numbers as they stand; others as the shortest text of the same Double.
    private func appendNumber(to output: inout [UInt8]) {
        let bytes = self.text
        if Self.isPlainWhole(bytes) {
            output += bytes
            return
        }
        let text = String(decoding: bytes, as: UTF8.self)
        if let whole = Int64(text) {
            output.append(contentsOf: String(whole).utf8)
        } else if let value = Double(text) {
            if let whole = Int64(exactly: value) {
                output.append(contentsOf: String(whole).utf8)
            } else {
                output.append(contentsOf: String(value).utf8)
            }
        } else {
            output += bytes
        }
    }

    /// Digits that an Int64 surely holds, written as Swift writes it; "-0" is not.
    private static func isPlainWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.count <= 18, !bytes.elementsEqual("-0".utf8) else { return false }
        return bytes.dropFirst(bytes.first == UInt8(ascii: "-") ? 1 : 0).allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0
        }
    }
}
