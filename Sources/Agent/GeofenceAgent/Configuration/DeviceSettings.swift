/// Who this device is.
public struct DeviceSettings: Codable, Sendable {
    /// 1 ... 64 of `[A-Za-z0-9._-]`; nil: derived from the hardware's serial, else the machine id.
    public var id: String?
    /// The member on whose behalf visits are submitted, 1 ... 128 visible ASCII characters; nil:
    /// nobody in particular.
    public var userID: String?
    public var profile = Profile.vehicle

    public enum Profile: String, Codable, Sendable, CaseIterable {
        case vehicle
        /// Stationary hold on, resync by time.
        case kiosk
    }

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, profile
        case userID = "user_id"
    }

    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decodeIfPresent(String.self, forKey: .id)
        if let id, !Self.isValidID(id) {
            throw DecodingError.dataCorruptedError(
                forKey: .id, in: container,
                debugDescription: "'\(id)' is not allowed, allowed 1...64 of A-Z a-z 0-9 . _ -")
        }
        userID = try container.decodeIfPresent(String.self, forKey: .userID)
        if let userID, !Self.isValidUserID(userID) {
            throw DecodingError.dataCorruptedError(
                forKey: .userID, in: container,
                debugDescription: "'\(userID.prefix(40))' is not allowed, allowed 1...128 visible "
                    + "ASCII characters without blanks")
        }
        profile = try container.decodeIfPresent(Profile.self, forKey: .profile) ?? profile
    }

    /// Whether a text may be the id of a member: it goes out as the header `X-User-Id`, 1 ... 128
    /// visible ASCII characters.
    static func isValidUserID(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 32 && $0 < 127 }
    }

    /// Whether a text may be a device id: 1 ... 64 of `[A-Za-z0-9._-]`.
    public static func isValidID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
