/// The exit statuses of the field bench (docs/field-testing.md).
enum ExitStatus {
    static let ok: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 2
    /// A `--fail-if` threshold was crossed.
    static let threshold: Int32 = 5
    static let inconclusive: Int32 = 6
}
