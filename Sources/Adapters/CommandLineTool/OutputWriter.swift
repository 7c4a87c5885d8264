import Glibc
import Synchronization

/// A buffer in front of a descriptor that it does not own, with errors instead of SIGPIPE.
///
/// Lines are handed on when the buffer is full, on `flush`, and at once when a terminal reads them.
/// What is still in the buffer when the writer goes away is lost: whoever owns it flushes.
public final class OutputWriter: Sendable {
    /// Bytes kept before they are handed on.
    public static let bufferSize = 65_536

    /// Whether a person looks at it.
    public let isTerminal: Bool
    private let descriptor: Int32
    private let state = Mutex(State())

    private struct State {
        var pending: [UInt8] = []
        var failure: OutputError?
    }

    /// Writes to `descriptor`, which stays open as long as this writer is used.
    public init(descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Adds a text and a line feed. Throws what the descriptor said, also of an earlier line.
    public func line(_ text: String) throws(OutputError) {
        try write(text.utf8, [UInt8(ascii: "\n")])
    }

    /// Adds a text as it is.
    public func text(_ text: String) throws(OutputError) {
        try write(text.utf8, [])
    }

    /// Adds bytes as they are.
    public func bytes(_ bytes: some Sequence<UInt8>) throws(OutputError) {
        try write(bytes, [])
    }

    /// Hands on everything that waits.
    public func flush() throws(OutputError) {
        try settle { state in drain(&state) }
    }

    private func write(
        _ bytes: some Sequence<UInt8>, _ end: [UInt8]
    ) throws(OutputError) {
        try settle { state in
            guard state.failure == nil else { return }
            state.pending.append(contentsOf: bytes)
            state.pending.append(contentsOf: end)
            if isTerminal || state.pending.count >= Self.bufferSize { drain(&state) }
        }
    }

    private func settle(_ change: (inout State) -> Void) throws(OutputError) {
        let failure = state.withLock { state in
            change(&state)
            return state.failure
        }
        if let failure { throw failure }
    }

    private func drain(_ state: inout State) {
        var rest = state.pending[...]
        state.pending = []
        while !rest.isEmpty, state.failure == nil {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest = rest.dropFirst(written)
            } else if errno == EAGAIN {
                awaitSpace()
            } else if errno != EINTR {
                state.failure = errno == EPIPE ? .closed : .failed(errno)
            }
        }
    }

    /// A shell may hand over a pipe that another process made non-blocking.
    private func awaitSpace() {
        var descriptors = [pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)]
        _ = poll(&descriptors, 1, -1)
    }
}
