import Timekeeping

/// What can be read from JSON in the one form in which this project writes it. Other forms of the same
/// value are left to the decoder.
protocol PlainJSON {
    /// Nil: not in that form. Null is never asked for.
    init?(plain node: PlainNode)
}

extension PlainNode {
    /// Hands over each member whose name is a key. False: this is no object, or `take` answered
    /// false.
    func takeMembers<Key>(
        _ names: MemberNames<Key>, _ take: (Key, PlainNode) -> Bool
    ) -> Bool {
        guard kind == .object else { return false }
        var search = MemberNames<Key>.Search()
        var isPlain = true
        forEachMember { name, value in
            if let key = names.find(name, &search) { isPlain = take(key, value) }
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
    init?(plain node: PlainNode) {
        guard let text = node.string else { return nil }
        self = text
    }
}

extension Bool: PlainJSON {
    init?(plain node: PlainNode) {
        guard node.kind == .bool else { return nil }
        self = node.text.first == UInt8(ascii: "t")
    }
}

extension Int64: PlainJSON {
    init?(plain node: PlainNode) {
        guard node.kind == .number, let value = Int64(digits: node.text) else { return nil }
        self = value
    }
}

extension Int: PlainJSON {
    init?(plain node: PlainNode) {
        guard let value = Int64(plain: node), let fitting = Int(exactly: value) else { return nil }
        self = fitting
    }
}

extension Double: PlainJSON {
    init?(plain node: PlainNode) {
        guard node.kind == .number, let value = JSONObjectScanner.number(node.text) else {
            return nil
        }
        self = value
    }
}

extension [String]: PlainJSON {
    init?(plain node: PlainNode) {
        guard node.kind == .array else { return nil }
        self = []
        var isPlain = true
        node.forEachElement { element in
            isPlain = element.string.map { append($0) } != nil
            return isPlain
        }
        guard isPlain else { return nil }
    }
}

extension WireID: PlainJSON {
    init?(plain node: PlainNode) {
        guard let text = node.string else { return nil }
        self.init(text)
    }
}

extension WireTime: PlainJSON {
    init?(plain node: PlainNode) {
        guard node.kind == .string, let time = node.withContent({ UTCTime(rfc3339: $0) }) else {
            return nil
        }
        self.init(time)
    }
}
