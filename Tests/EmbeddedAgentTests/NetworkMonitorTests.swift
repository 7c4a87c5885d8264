import Delivery
import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import EmbeddedAgent

/// A network of its own, in which root may do what it likes; for the thread that runs it, and the
/// threads that this one starts.
private enum OwnNetwork {
    /// Why there is none here; nil: there is.
    static let refusal: String? = {
        var refusal: String?
        inThread { refusal = run(#"ip link add v0 type veth peer name v1"#) }
        if let refusal { print("no network of its own, the tests of it are skipped: \(refusal)") }
        return refusal
    }()

    /// Runs `body` on a thread in a new network; nil: it did, else why not.
    @discardableResult
    static func inThread(_ body: @escaping () -> Void) -> String? {
        let isOver = DispatchSemaphore(value: 0)
        let failure = Mutex<String?>(nil)
        let work = Work(body)
        Thread.detachNewThread {
            if let reason = enter() {
                failure.withLock { $0 = reason }
            } else {
                work.body()
            }
            isOver.signal()
        }
        isOver.wait()
        return failure.withLock { $0 }
    }

    /// The caller waits until it has run.
    private final class Work: @unchecked Sendable {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// CLONE_NEWNET of unshare(2), for the calling thread.
    private static func enter() -> String? {
        typealias Unshare = @convention(c) (Int32) -> Int32
        guard let symbol = dlsym(nil, "unshare") else { return "no unshare(2)" }
        guard unsafeBitCast(symbol, to: Unshare.self)(0x4000_0000) == 0 else {
            return String(cString: strerror(errno))
        }
        return nil
    }

    /// Runs a shell command in the calling thread's network; nil: it succeeded.
    static func run(_ command: String) -> String? {
        let status = system("(\(command)) >/dev/null 2>&1")
        return status == 0 ? nil : "'\(command)' ends with \(status)"
    }
}

/// About ten seconds.
@Suite("Changes of the network", .enabled(if: OwnNetwork.refusal == nil), .serialized)
struct NetworkMonitorTests {
    private final class News: Sendable {
        private let told = Mutex<[NetworkNews]>([])
        // Read under the lock: the end of a copy is in Swift's own library, where the thread sanitizer
        // sees nothing.
        var count: Int { told.withLock { $0.count } }
        func add(_ news: NetworkNews) { told.withLock { $0.append(news) } }

        /// Waits for the next news after `count`.
        func next(after count: Int, within seconds: Double) -> NetworkNews? {
            let deadline = Date(timeIntervalSinceNow: seconds)
            while Date() < deadline {
                if let next = told.withLock({ $0.count > count ? $0[count] : nil }) { return next }
                usleep(20_000)
            }
            return nil
        }
    }

    @Test("of links, addresses and routes are told within seconds, once each")
    func changes() throws {
        let news = News()
        let problems = Mutex<[String]>([])
        func expect(_ command: String, _ hasRoute: Bool) {
            let before = news.count
            if let failure = OwnNetwork.run(command) { problems.withLock { $0.append(failure) } }
            let next = news.next(after: before, within: 8)
            if next?.hasRoute != hasRoute {
                problems.withLock { $0.append("\(command): \(String(describing: next))") }
            }
        }
        let refusal = OwnNetwork.inThread {
            guard let loop = try? PollLoop(name: "network") else { return }
            let monitor = NetworkMonitor(on: loop, log: SilentLog()) { news.add($0) }
            if news.next(after: 0, within: 3)?.hasRoute != false {
                problems.withLock { $0.append("no route at first is not told") }
            }
            _ = OwnNetwork.run(
                "ip link add v0 type veth peer name v1; ip addr add 10.9.0.1/24 dev v0; "
                    + "ip link set v1 up; ip link set v0 up")
            usleep(1_500_000)
            expect("ip route add default via 10.9.0.2", true)
            expect("ip addr add 10.9.0.7/24 dev v0", true)
            expect("ip link set v1 down", false)
            expect("ip link set v1 up", true)
            expect("ip route del default", false)
            expect(
                "ip -6 addr add fd00::1/64 dev v0 nodad; ip -6 route add default via fd00::2", true)
            expect("ip link set v0 down", false)
            let count = news.count
            usleep(1_500_000)
            if news.count != count {
                problems.withLock {
                    $0.append("told without a change: \(news.count - count) times")
                }
            }
            monitor.close()
            _ = OwnNetwork.run("ip link set v0 up; ip route add default via 10.9.0.2")
            usleep(1_500_000)
            if news.count != count { problems.withLock { $0.append("told after its end") } }
            loop.stop()
        }
        #expect(refusal == nil)
        #expect(problems.withLock { $0 }.isEmpty)
    }

    @Test("that are too many for the socket are looked at all the same")
    func overflow() throws {
        let heard = Mutex<[Bool]>([])
        let failure = Mutex<String?>(nil)
        OwnNetwork.inThread {
            do throws(SystemError) {
                let socket = try RouteSocket()
                var size: Int32 = 2048
                setsockopt(
                    socket.number, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size)
                )
                _ = OwnNetwork.run(
                    "ip link add v0 type veth peer name v1; "
                        + "for i in $(seq 1 40); do ip link set v0 up; ip link set v0 down; done")
                let (first, second) = (try socket.takeMessages(), try socket.takeMessages())
                heard.withLock { $0 = [first, second] }
            } catch {
                failure.withLock { $0 = "\(error)" }
            }
        }
        #expect(failure.withLock { $0 } == nil)
        #expect(heard.withLock { $0 } == [true, false])
    }

    private struct SilentLog: LogSink {
        func write(_ line: LogLine) {}
    }
}
