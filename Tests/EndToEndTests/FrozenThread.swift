import Foundation
import TestSupport
import Testing

/// Stops one thread of a child process, as a disk that does not answer would, and lets it go on when
/// the value goes away. ptrace(2) is variadic, so a Python process does it.
final class FrozenThread {
    private let tracer = Process()
    private let input = Pipe()

    /// Throws where the process has no such thread, or may not be traced.
    init(named name: String, of process: Int32) throws {
        let tasks = "/proc/\(process)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
        let thread = threads.first { thread in
            SharedFolder.readFile("\(tasks)/\(thread)/comm") == Array("\(name)\n".utf8)
        }
        let found = try #require(thread, "no thread \(name) among \(threads)")
        let output = Pipe()
        tracer.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        tracer.arguments = ["-c", Self.program, found]
        tracer.standardInput = input
        tracer.standardOutput = output
        tracer.standardError = output
        try tracer.run()
        let answer = output.fileHandleForReading.availableData
        try #require(
            answer == Data("frozen\n".utf8), "\(String(decoding: answer, as: UTF8.self))")
    }

    /// The thread goes on.
    func release() {
        try? input.fileHandleForWriting.close()
        tracer.waitUntilExit()
    }

    deinit { release() }

    /// PTRACE_SEIZE, PTRACE_INTERRUPT; the end of the tracer detaches.
    private static let program = """
        import ctypes, os, sys
        libc = ctypes.CDLL(None, use_errno=True)
        libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        thread = int(sys.argv[1])
        for request in (0x4206, 0x4207):
            if libc.ptrace(request, thread, None, None) != 0:
                sys.exit(os.strerror(ctypes.get_errno()))
        os.waitpid(thread, 0x40000000)
        os.write(1, b"frozen\\n")
        sys.stdin.read()
        """
}
