import CLinux
import Glibc

/// Wakes a thread that waits in poll(2), from any other thread (eventfd(2)).
public final class WakeEvent: Sendable {
    private let descriptor: FileDescriptor

    /// For poll(2): readable once `signal` was called.
    public var number: Int32 { descriptor.number }

    public init() throws(SystemError) {
        let made = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard made >= 0 else { throw .last("eventfd") }
        descriptor = FileDescriptor(owning: made)
    }

    /// Wakes whoever waits, now or later. Async-signal-safe.
    public func signal() {
        var one: UInt64 = 1
        // It can only fail with EAGAIN when the counter is full: then it is readable anyway.
        _ = write(descriptor.number, &one, 8)
    }

    /// Makes it wait again; whether anybody had signalled.
    @discardableResult
    public func clear() -> Bool {
        var count: UInt64 = 0
        return read(descriptor.number, &count, 8) == 8
    }

    /// Waits for a signal without taking it; false when the time is over. Nil waits for ever.
    public func wait(milliseconds: Int?) -> Bool {
        let deadline = milliseconds.map { MonotonicClock.milliseconds + Int64(max(0, $0)) }
        while true {
            let left = deadline.map { max(0, $0 - MonotonicClock.milliseconds) } ?? -1
            var descriptors = [pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)]
            let ready = poll(&descriptors, 1, Int32(clamping: left))
            if ready > 0 { return true }
            if ready == 0 { return false }
            if errno != EINTR { return false }
        }
    }
}
