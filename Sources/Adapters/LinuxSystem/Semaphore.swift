import CLinux
import Glibc

/// A counting semaphore between threads (sem_overview(7)).
///
/// `@unchecked Sendable`: the pointer is set once, and sem_post and sem_wait are made for being
/// called from several threads at a time.
final class Semaphore: @unchecked Sendable {
    private let handle: UnsafeMutablePointer<sem_t>

    init() {
        handle = .allocate(capacity: 1)
        handle.initialize(to: sem_t())
        sem_init(handle, 0, 0)
    }

    deinit {
        sem_destroy(handle)
        handle.deallocate()
    }

    func post() {
        sem_post(handle)
    }

    /// Waits for a post, at most until a time of CLOCK_MONOTONIC in milliseconds; nil: for ever.
    /// False when the time is over.
    @discardableResult
    func wait(until deadline: Int64?) -> Bool {
        while true {
            let status =
                deadline.map { clinux_wait_semaphore(handle, $0) } ?? sem_wait(handle)
            if status == 0 { return true }
            if errno != EINTR { return false }
        }
    }

    /// The same, and leaves the post for whoever else waits.
    func see(withinMilliseconds patience: Int?) -> Bool {
        let deadline = patience.map { MonotonicClock.milliseconds + Int64(max(0, $0)) }
        guard wait(until: deadline) else { return false }
        post()
        return true
    }
}
