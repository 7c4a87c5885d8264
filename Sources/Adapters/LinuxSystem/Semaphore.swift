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
    func wait(until deadline: Int64?) {
        guard let deadline else {
            while sem_wait(handle) != 0, errno == EINTR {}
            return
        }
        while clinux_wait_semaphore(handle, deadline) != 0, errno == EINTR {}
    }
}
