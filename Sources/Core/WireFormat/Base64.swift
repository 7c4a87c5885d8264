import FoundationEssentials

/// Base64 of RFC 4648, section 4.
public enum Base64 {
    public static func bytes(of text: String) -> [UInt8]? {
        Data(base64Encoded: text).map { [UInt8]($0) }
    }

    public static func text(of bytes: some Sequence<UInt8>) -> String {
        Data(bytes).base64EncodedString()
    }
}
