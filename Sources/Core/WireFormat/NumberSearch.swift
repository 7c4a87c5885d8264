import FoundationEssentials

/// Finds the number that a decoder refused without saying where: one with a fraction, or too large,
/// where a whole number has to stand.
///
/// FoundationEssentials reports such a number as if the text were not JSON, with no path. So half of
/// the numbers become zeros, and again half of those among which it must be, until one is left.
struct NumberSearch {
    let document: JSONDocument

    /// JSON pointer, and the number as it stands there; nil: it was something else. Decodes once
    /// for each doubling of the numbers that are not whole.
    func find<Value: Decodable>(_ type: Value.Type) -> (pointer: String, text: String)? {
        let suspects = document.nodes.indices.filter(isSuspect)
        guard !suspects.isEmpty, !isRefused(zeroed: suspects[...], type) else { return nil }
        var low = 0
        var high = suspects.count
        // Zeros from `high` on are refused, from `low` on are not.
        while high - low > 1 {
            let middle = (low + high) / 2
            if isRefused(zeroed: suspects[middle...], type) { high = middle } else { low = middle }
        }
        let found = document.nodes[suspects[low]]
        return (
            pointer(to: suspects[low]),
            String(decoding: document.bytes[found.range], as: UTF8.self)
        )
    }

    private func isSuspect(_ index: Int) -> Bool {
        let node = document.nodes[index]
        guard node.kind == .number else { return false }
        let text = document.bytes[node.range]
        // More digits than these may be too large for a whole number.
        return text.count > 18
            || text.contains {
                [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains($0)
            }
    }

    private func isRefused<Value: Decodable>(
        zeroed suspects: ArraySlice<Int>, _ type: Value.Type
    ) -> Bool {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.bytes.count)
        var next = 0
        for suspect in suspects {
            let range = document.nodes[suspect].range
            bytes += document.bytes[next..<range.lowerBound]
            bytes.append(UInt8(ascii: "0"))
            next = range.upperBound
        }
        bytes += document.bytes[next...]
        do {
            _ = try JSONDecoder().decode(type, from: Data(bytes))
            return false
        } catch {
            return Self.hasNoPlace(error)
        }
    }

    private func pointer(to target: Int) -> String {
        var pointer = ""
        var node = document.root
        while node.index != target {
            let before = node.index
            for (name, value) in node.namedChildren where value.holds(target) {
                pointer += "/\(name)"
                node = value
                break
            }
            if node.index == before { break }
        }
        return pointer
    }

    /// Whether a decoder took a text that is JSON for one that is not.
    static func hasNoPlace(_ error: any Error) -> Bool {
        guard case .dataCorrupted(let context) = error as? DecodingError else { return false }
        return context.codingPath.isEmpty
    }
}

extension JSONNode {
    fileprivate var namedChildren: [(name: String, value: JSONNode)] {
        kind == .object ? members : elements.enumerated().map { ("\($0.offset)", $0.element) }
    }

    fileprivate func holds(_ other: Int) -> Bool {
        other >= index && other < document.nodes[index].end
    }
}
