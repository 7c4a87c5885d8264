import Foundation
import LinuxSystem
import Synchronization
import Testing

/// Signals belong to the whole process: these tests run one after the other.
@Suite("Signal monitor", .serialized)
struct SignalMonitorTests {
    @Test("signals arrive as values, in order")
    func delivers() async throws {
        let loop = try PollLoop(name: "signals")
        let monitor = try SignalMonitor(on: loop)
        var arriving = monitor.signals.makeAsyncIterator()
        for (number, expected) in [
            (SIGHUP, ProcessSignal.hangUp), (SIGTERM, .terminate), (SIGINT, .interrupt),
        ] {
            kill(getpid(), number)
            #expect(await arriving.next() == expected)
        }
        loop.stop()
    }

    @Test("the loop takes signals even when the process was born with them blocked")
    func admitsSignals() throws {
        let loop = try PollLoop(name: "signals")
        let monitor = try SignalMonitor(on: loop)
        let blocked = Mutex<Int32?>(nil)
        let done = try WakeEvent()
        loop.perform {
            var mask = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &mask)
            blocked.withLock { $0 = sigismember(&mask, SIGTERM) }
            done.signal()
        }
        #expect(done.wait(milliseconds: 10_000))
        #expect(blocked.withLock { $0 } == 0)
        withExtendedLifetime(monitor) {}
        loop.stop()
    }

    @Test("a write to a closed pipe is an error, not the end of the process")
    func ignoresBrokenPipes() throws {
        let loop = try PollLoop(name: "signals")
        let monitor = try SignalMonitor(on: loop)
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        #expect(write(ends[1], "x", 1) == -1)
        #expect(errno == EPIPE)
        close(ends[1])
        withExtendedLifetime(monitor) {}
        loop.stop()
    }
}
