import Timekeeping

/// What can be read from JSON in the one form in which this project writes it. Other forms of the same
/// value are left to the decoder.
protocol PlainJSON {
    /// Nil: not in that form. Null is never asked for.
    init?(plain node: JSONNode)
}

extension JSONNode {
    /// Hands over each member whose name is a key. False: this is no object, or `take` answered
    /// false.
    func takeMembers<Key: CodingKey>(_ take: (Key, JSONNode) -> Bool) -> Bool {
        guard kind == .object else { return false }
        var isPlain = true
        forEachMember { name, value in
            if let key = Key(stringValue: String(decoding: name, as: UTF8.self)) {
                isPlain = take(key, value)
            }
            return isPlain
        }
        return isPlain
    }

    /// Sets a value to what stands here; null leaves it nil. False: not in its plain form.
    func take<Value: PlainJSON>(_ value: inout Value?) -> Bool {
        guard kind != .null else { return true }
        value = Value(plain: self)
        return value != nil
    }
}

extension String: PlainJSON {
    init?(plain node: JSONNode) {
        guard let text = node.string else { return nil }
        self = text
    }
}

extension Bool: PlainJSON {
    init?(plain node: JSONNode) {
        guard node.kind == .bool else { return nil }
        self = node.text.first == UInt8(ascii: "t")
    }
}

extension Int64: PlainJSON {
    /// Digits, without decimals or exponent.
    init?(plain node: JSONNode) {
        let text = node.text
        guard node.kind == .number,
            text.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= $0 || $0 == UInt8(ascii: "-")
            }), let value = Int64(String(decoding: text, as: UTF8.self))
        else { return nil }
        self = value
    }
}

extension Int: PlainJSON {
    init?(plain node: JSONNode) {
        guard let value = Int64(plain: node), let fitting = Int(exactly: value) else { return nil }
        self = fitting
    }
}

extension Double: PlainJSON {
    init?(plain node: JSONNode) {
        guard node.kind == .number, let value = JSONObjectScanner.number(node.text) else {
            return nil
        }
        self = value
    }
}

extension [String]: PlainJSON {
    init?(plain node: JSONNode) {
        guard node.kind == .array else { return nil }
        self = []
        for element in node.elements {
            guard let text = element.string else { return nil }
            append(text)
        }
    }
}

extension WireID: PlainJSON {
    init?(plain node: JSONNode) {
        guard let text = node.string else { return nil }
        self.init(text)
    }
}

extension WireTime: PlainJSON {
    init?(plain node: JSONNode) {
        guard let text = node.string, let time = UTCTime(rfc3339: text) else { return nil }
        self.init(time)
    }
}
