import Foundation
import Synchronization
import TestSupport
import Testing

@testable import LinuxSystem

@Suite("Commands for notifications", .serialized)
struct CommandHookTests {
    /// A hook that runs a shell script, and what it reported.
    final class Bench: Sendable {
        let directory: TemporaryDirectory
        let hook: CommandHook
        private let failures: Failures

        init(_ script: String, limits: CommandHook.Limits = .quick) throws {
            directory = try TemporaryDirectory()
            let failures = Failures()
            self.failures = failures
            hook = try CommandHook(
                ["/bin/sh", "-c", script, "hook", directory.path], limits: limits
            ) { failure in failures.add(failure) }
        }

        deinit { hook.close(milliseconds: 2000) }

        var told: [String] { failures.all }

        func contents(_ name: String) -> String? {
            SharedFolder.readFile(directory.file(name)).map { String(decoding: $0, as: UTF8.self) }
        }

        /// Waits until nothing waits; false after 20 s.
        func isDone() -> Bool {
            for _ in 0..<2000 where hook.report.waiting > 0 { usleep(10_000) }
            return hook.report.waiting == 0
        }
    }

    final class Failures: Sendable {
        private let kept = Mutex<[String]>([])
        func add(_ text: String) { kept.withLock { $0.append(text) } }
        var all: [String] { kept.withLock { $0 } }
    }

    /// Whether a process exists that is no zombie.
    static func isAlive(_ pid: Int32) -> Bool {
        guard let bytes = SharedFolder.readFile("/proc/\(pid)/stat") else { return false }
        let text = String(decoding: bytes, as: UTF8.self)
        return text.split(separator: ")").last?.split(separator: " ").first != "Z"
    }

    /// A signal is on its way when kill(2) has returned, and arrives when the machine finds the time.
    static func ends(_ pid: Int32) -> Bool {
        for _ in 0..<1000 where isAlive(pid) { usleep(10_000) }
        return !isAlive(pid)
    }

    @Test("a command has its input, an end of it, and nothing of this process")
    func plain() throws {
        let bench = try Bench(
            "cat > $1/in; ls /proc/self/fd | wc -l > $1/open; env > $1/env; echo $$ > $1/pid; "
                + "cut -d' ' -f5 /proc/$$/stat > $1/group")
        let text = Array(String(repeating: "x", count: 32_000).utf8)
        #expect(bench.hook.submit(text))
        #expect(bench.isDone())
        #expect(bench.contents("in")?.utf8.count == 32_000)
        // Standard input, output, error, and the folder that ls reads.
        #expect(bench.contents("open") == "4\n")
        let variables = (bench.contents("env") ?? "").split(separator: "\n")
            .filter { !$0.hasPrefix("PWD=") && !$0.hasPrefix("_=") && !$0.hasPrefix("OLDPWD=") }
            .filter { !$0.hasPrefix("SHLVL=") }
        #expect(variables.map { $0.prefix(5) } == ["PATH="])
        #expect(bench.contents("pid") == bench.contents("group"), "a process group of its own")
        #expect(bench.hook.report.succeeded == 1 && bench.told.isEmpty)
    }

    @Test("a command is the first to go where memory runs out, and so is what it starts")
    func memory() throws {
        let bench = try Bench(
            "i=0; while [ $i -lt 100 ]; do read x < /proc/$$/oom_score_adj; "
                + "[ $x = 1000 ] && break; sleep 0.1; i=$((i+1)); done; "
                + "cat /proc/self/oom_score_adj > $1/child")
        let own = SharedFolder.readFile("/proc/self/oom_score_adj")
        bench.hook.submit([])
        #expect(bench.isDone())
        #expect(bench.contents("child") == "1000\n", "\(bench.told)")
        #expect(SharedFolder.readFile("/proc/self/oom_score_adj") == own, "the agent's own stays")
    }

    static let endings: [(String, String)] = [
        ("echo no luck >&2; exit 3", "ended with status 3: no luck"),
        ("kill -SEGV $$", "died of signal 11"),
        ("exit 1", "ended with status 1"),
    ]

    @Test("what fails is told with its first line", arguments: endings)
    func failing(script: String, failure: String) throws {
        let bench = try Bench(script)
        bench.hook.submit(Array("{}".utf8))
        #expect(bench.isDone())
        #expect(bench.told == [failure])
        #expect(bench.hook.report.failed == 1 && bench.hook.report.lastFailure == failure)
    }

    @Test("a program that is not there is a failure")
    func missing() throws {
        let failures = Failures()
        let hook = try CommandHook(["/nonexistent/program"]) { failures.add($0) }
        hook.submit([])
        for _ in 0..<500 where hook.report.waiting > 0 { usleep(10_000) }
        hook.close()
        #expect(failures.all == ["posix_spawn /nonexistent/program: No such file or directory"])
    }

    @Test("a command that hangs is killed with its whole group when its time is over")
    func hanging() throws {
        var limits = CommandHook.Limits.quick
        limits.milliseconds = 1000
        let bench = try Bench(
            "trap '' TERM; sleep 600 & echo $! > $1/child; echo $$ > $1/pid; wait", limits: limits)
        let start = Date()
        bench.hook.submit([])
        #expect(bench.isDone())
        #expect(Date().timeIntervalSince(start) >= 1)
        #expect(bench.told == ["took longer than 1 s and was killed"])
        for name in ["child", "pid"] {
            let pid = try #require(Int32((bench.contents(name) ?? "").dropLast()))
            #expect(Self.ends(pid), "\(name)")
        }
    }

    @Test("what a command leaves behind goes when it ends, and holds nobody up")
    func leavings() throws {
        let bench = try Bench("sleep 600 & echo $! > $1/child; exit 0")
        let start = Date()
        bench.hook.submit([])
        #expect(bench.isDone())
        #expect(Date().timeIntervalSince(start) < 4, "it did not wait for the limit")
        #expect(bench.hook.report.succeeded == 1)
        let pid = try #require(Int32((bench.contents("child") ?? "").dropLast()))
        #expect(Self.ends(pid))
    }

    @Test("10 MB of output are thrown away, and an input that nobody reads is no trouble")
    func printing() throws {
        let bench = try Bench("head -c 10000000 /dev/zero; echo done > $1/end")
        bench.hook.submit(Array(String(repeating: "x", count: 32_000).utf8))
        #expect(bench.isDone())
        #expect(bench.contents("end") == "done\n")
        #expect(bench.hook.report.succeeded == 1)
    }

    @Test("a flood of output without an end is left alone and ends with the time")
    func flood() throws {
        var limits = CommandHook.Limits.quick
        limits.milliseconds = 1500
        let bench = try Bench("cat /dev/zero", limits: limits)
        bench.hook.submit([])
        #expect(bench.isDone())
        #expect(bench.told == ["took longer than 1 s and was killed"])
    }

    @Test("submitting never waits, and what is too much is dropped and counted")
    func bounded() throws {
        var limits = CommandHook.Limits.quick
        limits.queue = 4
        limits.inputBytes = 100
        let bench = try Bench("sleep 1", limits: limits)
        let start = Date()
        let taken = (0..<20).filter { _ in bench.hook.submit([1]) }.count
        #expect(Date().timeIntervalSince(start) < 0.5)
        // One may be running already.
        #expect((4...5).contains(taken))
        #expect(bench.hook.report.dropped == 20 - taken)
        #expect(!bench.hook.submit([UInt8](repeating: 0, count: 101)))
    }

    @Test("closing waits a moment for the command that runs, kills it then, and forgets the rest")
    func closing() throws {
        let bench = try Bench("echo x >> $1/runs; sleep 600")
        for _ in 0..<3 { bench.hook.submit([]) }
        for _ in 0..<500 where bench.contents("runs") == nil { usleep(10_000) }
        let start = Date()
        bench.hook.close(milliseconds: 200)
        #expect(Date().timeIntervalSince(start) < 3)
        #expect(bench.contents("runs") == "x\n")
        #expect(!bench.hook.submit([]))
    }
}

extension CommandHook.Limits {
    /// Long enough for a loaded machine.
    fileprivate static let quick: CommandHook.Limits = {
        var limits = CommandHook.Limits()
        limits.milliseconds = 20_000
        return limits
    }()
}
