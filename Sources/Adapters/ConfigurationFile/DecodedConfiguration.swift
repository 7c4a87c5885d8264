/// A configuration that was accepted, and where each of its values comes from.
public struct DecodedConfiguration<Value> {
    public var value: Value
    /// As errors call it.
    public var file: String
    /// By key path, such as "upload.interval_s": every key that decoding asked for.
    public var origins: [String: ConfigurationOrigin]

    /// "geofenced.yaml:12" or "default"; a key inside a group that is not given is a default.
    public func origin(of keyPath: String) -> String {
        switch origins[keyPath] {
        case .file(let line): "\(file):\(line)"
        case .standard, nil: "default"
        }
    }
}

extension DecodedConfiguration: Sendable where Value: Sendable {}
