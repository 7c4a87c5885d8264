import Delivery
import Foundation
import HTTPTransport
import TestSupport
import Testing

/// A name server that hears questions and answers none, for one thread and those that it starts.
private final class SilentResolver: Sendable {
    private let directory: TemporaryDirectory
    private let descriptor: Int32
    private static let address = "127.83.0.1"

    init() throws {
        directory = try TemporaryDirectory()
        // Two and a half minutes for a look-up.
        let text = "nameserver \(Self.address)\noptions timeout:30 attempts:5\n"
        try Data(text.utf8).write(to: URL(fileURLWithPath: directory.file("resolv.conf")))
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = UInt16(53).bigEndian
        place.sin_addr.s_addr = inet_addr(Self.address)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafePointer(to: &place) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, size) }
        }
        try #require(status == 0, "port 53 of \(Self.address)")
    }

    deinit { close(descriptor) }

    /// Makes it the resolver of the calling thread, which has mounts of its own from then on.
    func serveThisThread() -> Bool {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare"),
            unsafeBitCast(symbol, to: Unshare.self)(Self.newMounts) == 0,
            mount("none", "/", nil, UInt(MS_REC) | UInt(MS_PRIVATE), nil) == 0
        else { return false }
        return mount(
            directory.file("resolv.conf"), "/etc/resolv.conf", nil, UInt(MS_BIND), nil) == 0
    }

    /// CLONE_NEWNS of sched.h.
    private static let newMounts: Int32 = 0x2_0000

    /// Whether somebody asks within two minutes.
    func hasHeard() -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 120_000) == 1
    }

    /// It takes root, and a kernel that lets it.
    static let isPossible: Bool = {
        guard getuid() == 0, let resolver = try? SilentResolver() else { return false }
        let found = Verdict()
        Thread.detachNewThread {
            found.isGood = resolver.serveThisThread()
            found.signal.signal()
        }
        found.signal.wait()
        return found.isGood
    }()

    /// `@unchecked`: written before the signal and read after it.
    private final class Verdict: @unchecked Sendable {
        let signal = DispatchSemaphore(value: 0)
        var isGood = false
    }
}

@Suite(
    "A resolver that never answers",
    .enabled(if: SilentResolver.isPossible, "another resolv.conf needs root"))
struct SilentResolverTests {
    @Test("holds up no stop: neither the request nor the end of the connection waits for it")
    func stop() throws {
        let resolver = try SilentResolver()
        let connection = Held(try transport("https://server.test"))
        let stopper = connection.stop
        let end = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            if resolver.serveThisThread() { connection.performAndRelease() }
            end.signal()
        }
        #expect(resolver.hasHeard())
        stopper()
        #expect(end.wait(timeout: .now() + 60) == .success)
        #expect(connection.isStopped)
    }

    /// A connection whose last owner is the thread that asks.
    ///
    /// `@unchecked`: used by that thread, and read once it is done.
    private final class Held: @unchecked Sendable {
        private var connection: HTTPConnection?
        private(set) var isStopped = false
        let stop: @Sendable () -> Void

        init(_ connection: HTTPConnection) {
            self.connection = connection
            stop = { [weak connection] in connection?.stop() }
        }

        func performAndRelease() {
            if case .stopped? = connection?.perform(HTTPRequest(.get, "/")) { isStopped = true }
            connection = nil
        }
    }
}
