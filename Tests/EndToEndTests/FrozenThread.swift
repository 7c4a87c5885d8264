import Foundation
import TestSupport

/// Stops one thread of a child process, as a disk that does not answer would, and lets it go on when
/// the value goes away. ptrace(2) is variadic, so a Python process does it.
final class FrozenThread {
    private let tracer = Process()
    private let input = Pipe()

    /// Nil where the process has no such thread, or may not be traced.
    init?(named name: String, of process: Int32) {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        let thread = threads.first { thread in
            SharedFolder.readFile("\(tasks)/\(thread)/comm") == Array("\(name)\n".utf8)
        }
        guard let thread else { return nil }
        let output = Pipe()
        tracer.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        tracer.arguments = ["-c", Self.program, thread]
        tracer.standardInput = input
        tracer.standardOutput = output
        guard (try? tracer.run()) != nil else { return nil }
        guard output.fileHandleForReading.availableData == Data("frozen\n".utf8) else {
            return nil
        }
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
        print("frozen", flush=True)
        sys.stdin.read()
        """
}
