import CLinux
import Glibc
import Synchronization

/// Turns SIGTERM, SIGINT and SIGHUP into values, and ignores SIGPIPE.
///
/// Signals belong to the whole process, so one monitor lives at a time; a second one takes over. The
/// handler of a signal may only do what signal-safety(7) lists: it writes one byte into a pipe.
public final class SignalMonitor: Sendable {
    /// Signals that wait for a slow consumer; more of them say nothing new.
    public static let bufferSize = 16

    /// Every signal from the call of `init` on, in order.
    public let signals: AsyncStream<ProcessSignal>

    private let readEnd: SharedDescriptor
    private let continuation: AsyncStream<ProcessSignal>.Continuation
    private let loop: PollLoop

    /// Takes over the signals; `loop` does the waiting.
    public init(on loop: PollLoop) throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC | O_NONBLOCK) == 0 else { throw .last("pipe2") }
        readEnd = SharedDescriptor(owning: ends[0])
        self.loop = loop
        (signals, continuation) = AsyncStream.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferSize))
        let previous = signalPipe.exchange(ends[1], ordering: .sequentiallyConsistent)
        if previous >= 0 { close(previous) }
        Glibc.signal(SIGPIPE, SIG_IGN)
        for wanted in ProcessSignal.allCases { Self.install(wanted.number) }
        loop.perform(Self.admitSignals)
        forward()
    }

    deinit {
        loop.forget(readEnd.number)
        continuation.finish()
    }

    /// A process may be born with its signals blocked, as a child of a Dispatch worker is: then they
    /// would wait for ever. The loop's thread takes them in any case.
    private static func admitSignals() {
        var wanted = sigset_t()
        sigemptyset(&wanted)
        for signal in ProcessSignal.allCases { sigaddset(&wanted, signal.number) }
        pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    }

    private func forward() {
        let descriptor = readEnd
        let continuation = continuation
        loop.watch(descriptor.number, for: Int16(POLLIN)) { _ in
            var numbers = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor.number, &numbers, numbers.count)
            for number in numbers.prefix(max(0, count)) {
                let known = ProcessSignal.allCases.first { $0.number == Int32(number) }
                if let known { continuation.yield(known) }
            }
        }
    }

    private static func install(_ number: Int32) {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe.load(ordering: .relaxed), &byte, 1)
            errno = saved
        }
        action.sa_flags = Int32(SA_RESTART)
        sigemptyset(&action.sa_mask)
        sigaction(number, &action, nil)
    }
}

/// Where the handler writes; a C function can reach nothing but a global.
private let signalPipe = Atomic<Int32>(-1)
