/// One finding of the doctor.
public struct DoctorCheck: Codable, Hashable, Sendable {
    /// What was looked at, in words: "credential".
    public var name: String
    public var code: DoctorCode
    public var status: Status
    /// The value that was seen, or why nothing was looked at.
    public var seen: String
    /// What a person does about it; nil where there is nothing to do.
    public var action: String?

    public enum Status: String, Codable, Hashable, Sendable, CaseIterable {
        case ok, warn, fail, skipped
    }

    public init(_ name: String, _ code: DoctorCode, seen: String, action: String? = nil) {
        self.name = name
        self.code = code
        status = code.status
        self.seen = seen
        self.action = action
    }
}
