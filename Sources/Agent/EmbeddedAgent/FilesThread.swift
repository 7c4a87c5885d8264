import LinuxSystem
import Synchronization

/// The one thread for files that may keep it waiting and on which nothing else depends: recordings and
/// the file or line of `stationary_hint`. It is started when it is first wanted.
final class FilesThread: Sendable {
    private let made = Mutex<PollLoop?>(nil)

    func loop() throws(SystemError) -> PollLoop {
        try made.withLock { made throws(SystemError) in
            if let made { return made }
            let loop = try PollLoop(name: "files")
            made = loop
            return loop
        }
    }
}
