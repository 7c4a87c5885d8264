import WireFormat

/// Whom a fence is for. A fence without an audience is for everybody.
public struct FenceAudience: Hashable, Sendable {
    /// Ids and tags of each kind.
    public static let memberLimit = 1_000

    public var userIDs: [String] = []
    public var deviceIDs: [String] = []
    public var tags: [String] = []

    /// Nil: everybody. Throws with a pointer below the fence.
    ///
    /// One that names nobody is refused: whether that means nobody or everybody is a guess that
    /// somebody would be wrong about.
    init?(_ value: JSONValue?) throws(WireError) {
        guard let value, value != .null else { return nil }
        guard case .object(let members) = value else {
            throw WireError(pointer: "/audience", detail: "not an object")
        }
        for (name, list) in members.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "user_ids": userIDs = try Self.texts(list, name)
            case "device_ids": deviceIDs = try Self.texts(list, name)
            case "tags": tags = try Self.texts(list, name)
            default:
                throw WireError(pointer: "/audience" + JSONPointer.step(name), detail: "unknown")
            }
        }
        guard !members.isEmpty else {
            throw WireError(pointer: "/audience", detail: "names nobody; left out, it is everybody")
        }
    }

    static func texts(_ value: JSONValue, _ name: String) throws(WireError) -> [String] {
        let pointer = "/audience/\(name)"
        guard case .array(let list) = value, (1...memberLimit).contains(list.count) else {
            throw WireError(pointer: pointer, detail: "not a list of 1 to \(memberLimit)")
        }
        var texts: [String] = []
        for (index, element) in list.enumerated() {
            guard let text = Self.text(element, isID: name != "tags"),
                FenceCheck.idDefects(text).isEmpty
            else {
                throw WireError(
                    pointer: "\(pointer)/\(index)", detail: "not a text of 1 to 128 characters")
            }
            texts.append(text)
        }
        return texts
    }

    /// Beyond it JSON does not carry whole numbers exactly everywhere.
    private static let greatestNumber = 9_007_199_254_740_991.0

    /// Ids may be numbers; nil: neither a text nor a whole number.
    private static func text(_ value: JSONValue, isID: Bool) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number) where isID && number.magnitude <= greatestNumber:
            Int64(exactly: number).map { String($0) }
        default: nil
        }
    }

    /// As the store keeps them; the kind stands in front, so that no id can pose as a tag.
    var members: [String] {
        ExactText.unique(
            userIDs.map { "user \($0)" } + deviceIDs.map { "device \($0)" }
                + tags.map { "tag \($0)" })
    }
}

/// Who asks for fences.
public struct FenceAudienceMember: Hashable, Sendable {
    public var deviceID: String
    /// Nil: nobody said.
    public var userID: String?

    public init(deviceID: String, userID: String?) {
        self.deviceID = deviceID
        self.userID = userID
    }
}
