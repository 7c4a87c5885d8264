// What the thread sanitizer must say of it, with scripts/sanitizer/runtime.c: of "protected" nothing, though
// threads compete for it all the time, of "list" nothing, though copies of it end outside of its lock, and
// of "open" a race.
import Glibc
import Synchronization

final class Counts: Sendable {
    let protected = Mutex(0)
    let list = Mutex<[Int]>([])
    nonisolated(unsafe) var open = 0
}

/// On a thread that no actor has; the main one is the main actor's.
func start(_ work: Work) -> pthread_t {
    var thread = pthread_t()
    pthread_create(
        &thread, nil,
        { argument in
            if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }, Unmanaged.passRetained(work).toOpaque())
    return thread
}

@main
struct SelfCheck {
    static func main() {
        let counts = Counts()
        let races = CommandLine.arguments.contains("open")
        let threads = (0..<4).map { _ in start(Work(counts, races: races)) }
        for thread in threads { pthread_join(thread, nil) }
        print(counts.protected.withLock { $0 })
    }
}

final class Work: Sendable {
    private let counts: Counts
    private let races: Bool

    init(_ counts: Counts, races: Bool) {
        self.counts = counts
        self.races = races
    }

    func run() {
        var total = 0
        defer { precondition(total > 0) }
        for _ in 0..<20_000 {
            counts.protected.withLock { count in
                count += 1
                if count % 64 == 0 { usleep(20) }
            }
            counts.list.withLock { list in
                if list.count > 100 { list.removeAll(keepingCapacity: true) }
                list.append(1)
            }
            let copy = counts.list.withLock { $0 }
            total += copy.count
            if races { counts.open += 1 }
        }
    }
}
