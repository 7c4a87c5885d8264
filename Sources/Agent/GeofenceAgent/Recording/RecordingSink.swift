/// Where the lines of a recording go. Nothing here waits for a disk or fails the caller.
public protocol RecordingSink: Sendable {
    /// Takes whole lines that stay together; `startsPart` begins a new file. False where there is no
    /// room for them: they are not in the recording.
    func append(_ lines: [UInt8], startsPart: Bool) -> Bool
    /// How the recording does.
    var state: RecordingState { get }
    /// Writes everything that was taken and ends; waits at most some seconds.
    func close()
}

/// How a recording does, for `status`.
public enum RecordingState: Hashable, Sendable {
    case recording
    /// It ended by itself until the next start, and why.
    case stopped(reason: String)
}
