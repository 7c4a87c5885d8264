import CLinux
import Glibc

/// Tells when a file may have changed, appeared or gone (inotify(7)), and costs nothing in between.
///
/// Its folder is watched, since a file may be missing, or replaced by another.
public final class FileWatch: Sendable {
    /// What became of the file.
    public enum News: Hashable, Sendable {
        case changed
        /// The folder is gone, and this watch is over.
        case folderGone
    }

    private let descriptor: SharedDescriptor
    private let loop: PollLoop

    /// Watches the file at `path`, which need not exist; its folder must. `handler` runs on the
    /// loop's thread.
    public init(
        _ path: String, on loop: PollLoop, _ handler: @escaping @Sendable (News) -> Void
    ) throws(SystemError) {
        let slash = path.lastIndex(of: "/")
        let name = Array((slash.map { path[path.index(after: $0)...] } ?? path[...]).utf8)
        let folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let made = inotify_init1(Int32(O_CLOEXEC | O_NONBLOCK))
        guard made >= 0 else { throw .last("inotify_init1") }
        let descriptor = SharedDescriptor(owning: made)
        guard inotify_add_watch(made, folder, Self.wanted) >= 0 else {
            throw .last("inotify_add_watch", folder)
        }
        self.descriptor = descriptor
        self.loop = loop
        let isWatched = loop.watch(made, for: Int16(POLLIN)) { _ in
            for news in Self.news(of: name, from: descriptor.number) { handler(news) }
        }
        guard isWatched else { throw SystemError("watch", path, code: EMFILE) }
    }

    deinit {
        loop.forget(descriptor.number)
    }

    /// What waits in the descriptor, each kind once.
    private static func news(of name: [UInt8], from descriptor: Int32) -> [News] {
        var found: Set<News> = []
        var buffer = [UInt8](repeating: 0, count: 8192)
        for _ in 0..<readLimit {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            found.formUnion(news(of: name, in: buffer[..<count]))
        }
        return [News.changed, .folderGone].filter(found.contains)
    }

    /// The records of inotify(7): descriptor, mask, cookie and length of 32 bits, and a name that
    /// zeros fill up.
    private static func news(of name: [UInt8], in bytes: ArraySlice<UInt8>) -> Set<News> {
        var found: Set<News> = []
        var rest = bytes
        while rest.count >= headerBytes {
            let mask = word(rest, 4)
            let length = Int(word(rest, 12))
            let given = rest.dropFirst(headerBytes).prefix(length).prefix { $0 != 0 }
            rest = rest.dropFirst(headerBytes + length)
            if mask & over != 0 {
                found.insert(.folderGone)
            } else if mask & UInt32(IN_Q_OVERFLOW) != 0 || given.elementsEqual(name) {
                found.insert(.changed)
            }
        }
        return found
    }

    private static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    private static let wanted =
        UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM)
        | UInt32(IN_CREATE) | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    private static let over =
        UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF) | UInt32(IN_IGNORED) | UInt32(IN_UNMOUNT)
    private static let headerBytes = 16
    /// Reads in a row; what is left wakes the loop again.
    private static let readLimit = 64
}
