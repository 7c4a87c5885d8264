import Testing

/// The error that `body` throws; records an issue and answers nil when it throws none or another.
///
/// `#expect(throws:)` returns the error only from Swift 6.1 on.
public func thrown<Failure: Error>(
    _ type: Failure.Type, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Void
) -> Failure? {
    do {
        try body()
        Issue.record("nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as Failure {
        return error
    } catch {
        Issue.record("unexpected \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
