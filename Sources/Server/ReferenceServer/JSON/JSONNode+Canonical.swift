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
        case .number: output += canonicalNumber
        case .string, .name: JSONText.append(quoted: unescaped, to: &output)
        case .array: appendArray(to: &output)
        case .object: appendObject(to: &output)
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
        let sorted = members.filter { $0.value.kind != .null }.sorted { $0.name < $1.name }
        output.append(UInt8(ascii: "{"))
        for (index, member) in sorted.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            JSONText.append(quoted: member.name.utf8, to: &output)
            output.append(UInt8(ascii: ":"))
            member.value.append(to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Whole numbers as they stand; others as the shortest text of the same Double.
    private var canonicalNumber: [UInt8] {
        let text = String(decoding: self.text, as: UTF8.self)
        if let whole = Int64(text) { return Array(String(whole).utf8) }
        guard let value = Double(text) else { return Array(self.text) }
        if let whole = Int64(exactly: value) { return Array(String(whole).utf8) }
        return Array(String(value).utf8)
    }
}
