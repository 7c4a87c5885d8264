/// Bytes that are no time zone data that can be used, with the place of the defect.
public struct TimeZoneDataError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Bytes before the defect; for a footer, within the footer.
    public var offset: Int
    /// What is wrong, with the value where there is one.
    public var detail: String

    init(_ detail: String, at offset: Int) {
        self.offset = offset
        self.detail = detail
    }

    public var description: String { "byte \(offset): \(detail)" }
}
