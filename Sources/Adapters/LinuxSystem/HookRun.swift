import CLinux
import Glibc

/// One run of a command, from its start to its end, on the thread that calls.
final class HookRun {
    private let limits: CommandHook.Limits
    private var child: pid_t = 0
    private let output: FileDescriptor
    /// -1 once the child has the whole input, or wants none.
    private var input: Int32
    private var rest: ArraySlice<UInt8>
    private var kept: [UInt8] = []
    private var outputCount = 0
    private var isOutputDone = false

    /// Nil: it ended with status 0; else what went wrong.
    static func run(
        _ arguments: [String], input: [UInt8], limits: CommandHook.Limits, stop: WakeEvent
    ) -> String? {
        do throws(SystemError) {
            return try HookRun(arguments, input: input, limits: limits).finish(stop)
        } catch {
            return "\(error)"
        }
    }

    private init(
        _ arguments: [String], input text: [UInt8], limits: CommandHook.Limits
    ) throws(SystemError) {
        self.limits = limits
        let toChild = try Self.pipe()
        let childInput = FileDescriptor(owning: toChild.reader)
        input = toChild.writer
        rest = text[...]
        let fromChild: (reader: Int32, writer: Int32)
        do throws(SystemError) {
            fromChild = try Self.pipe()
        } catch {
            close(toChild.writer)
            throw error
        }
        let childOutput = FileDescriptor(owning: fromChild.writer)
        output = FileDescriptor(owning: fromChild.reader)
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
        _ = fcntl(output.number, F_SETFL, O_NONBLOCK)
        // Into the pipe before the command starts: it has its input even if this process is killed.
        feed()
        child = try Self.spawn(
            arguments, input: childInput.number, output: childOutput.number)
        Self.offerMemory(of: child)
    }

    deinit {
        if input >= 0 { close(input) }
    }

    // MARK: - Start

    private static func pipe() throws(SystemError) -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe2(&ends, O_CLOEXEC) == 0 else { throw .last("pipe2") }
        return (ends[0], ends[1])
    }

    private static func spawn(
        _ arguments: [String], input: Int32, output: Int32
    ) throws(SystemError) -> pid_t {
        var child: pid_t = 0
        let status = withTerminatedList(arguments) { arguments in
            withTerminatedList([searchPath]) { environment in
                clinux_spawn(&child, arguments, environment, input, output)
            }
        }
        guard status == 0 else {
            throw SystemError("posix_spawn", arguments.first ?? "", code: status)
        }
        return child
    }

    private static func withTerminatedList(
        _ texts: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32
    ) -> Int32 {
        var pointers = texts.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        return pointers.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return EINVAL }
            return body(start)
        }
    }

    /// Where memory runs out, the kernel takes the command and not the agent, which shares its limit
    /// (proc_pid_oom_score_adj(5)). A command that ends or starts others within its first moment gets
    /// away; a system without the file kills as it likes.
    private static func offerMemory(of child: pid_t) {
        let file = open("/proc/\(child)/oom_score_adj", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        _ = write(file, firstToGo, firstToGo.utf8.count)
        close(file)
    }

    /// The greatest adjustment there is; raising it takes no privilege.
    private static let firstToGo = "1000"

    /// All that the command finds in its environment.
    private static let searchPath =
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

    // MARK: - End

    private func finish(_ stop: WakeEvent) -> String? {
        let deadline = MonotonicClock.milliseconds + limits.milliseconds
        var pause: Int64 = 2
        var cause: String?
        while clinux_has_ended(child) == 0 {
            let left = deadline - MonotonicClock.milliseconds
            if left <= 0 {
                cause = "took longer than \(limits.milliseconds / 1000) s and was killed"
                break
            }
            if stop.wait(milliseconds: 0) {
                cause = "was killed because the agent stops"
                break
            }
            wait(milliseconds: min(left, pause))
            pause = min(pause * 2, 50)
            exchange()
        }
        // What it has started and left behind goes with it. The group's number is its own as long as
        // the child has not been waited for.
        kill(-child, SIGKILL)
        let status = clinux_reap(child)
        exchange()
        if let cause { return cause }
        if status == 0 { return nil }
        let how = status < 256 ? "ended with status \(status)" : "died of signal \(status - 256)"
        return kept.isEmpty ? how : "\(how): \(firstLine)"
    }

    private func wait(milliseconds: Int64) {
        var descriptors = [pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)]
        if input >= 0 { descriptors.append(pollfd(fd: input, events: Int16(POLLOUT), revents: 0)) }
        // At the end of the output poll(2) would not wait any more.
        if isOutputDone { descriptors[0].fd = -1 }
        _ = poll(&descriptors, nfds_t(descriptors.count), Int32(milliseconds))
    }

    /// Moves what can be moved without waiting.
    private func exchange() {
        feed()
        guard !isOutputDone else { return }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        for _ in 0..<16 {
            let count = read(output.number, &buffer, buffer.count)
            guard count > 0 else {
                isOutputDone = count == 0
                return
            }
            kept += buffer[..<min(count, limits.outputBytes - kept.count)]
            outputCount += count
            // A flood is not worth reading: the command waits until its time is over.
            if outputCount > Self.floodBytes {
                isOutputDone = true
                return
            }
        }
    }

    private func feed() {
        guard input >= 0 else { return }
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                return
            } else {
                // It does not want to hear more.
                break
            }
        }
        close(input)
        input = -1
    }

    /// The first printable line of the output.
    private var firstLine: String {
        String(decoding: kept.prefix { $0 != 10 }.filter { $0 >= 32 }, as: UTF8.self)
    }

    /// Bytes of output that are read of one run.
    private static let floodBytes = 16 * 1024 * 1024
}
