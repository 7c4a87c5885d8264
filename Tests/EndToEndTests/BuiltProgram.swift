import Foundation
import Testing

/// One of the project's programs, as built beside the tests, running as a process of its own.
final class BuiltProgram {
    let process = Process()
    private let errorFile: String
    private let outputFile: String

    /// Starts it with its output in files of `folder`, `environment` added to this process's. Throws
    /// where it is not built.
    init(
        _ name: String, _ arguments: [String], in folder: String,
        environment: [String: String] = [:]
    ) throws {
        let path = try #require(Self.path(of: name), "\(name) is not built beside the tests")
        let stem = "\(folder)/\(name)-\(UUID().uuidString)"
        (outputFile, errorFile) = (stem + ".out", stem + ".err")
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        for file in [outputFile, errorFile] {
            try #require(FileManager.default.createFile(atPath: file, contents: nil))
        }
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputFile))
        process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errorFile))
        try process.run()
    }

    /// The folder of the test bundle holds the products of the same build.
    static func path(of name: String) -> String? {
        guard
            let bundle = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/exe")
        else { return nil }
        var folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        // Some test runners load the bundle from a folder inside it.
        for _ in 0..<3 {
            let candidate = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }

    var output: [UInt8] { Self.bytes(outputFile) }
    var errors: String { String(decoding: Self.bytes(errorFile), as: UTF8.self) }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    /// Its exit status, once it has ended; nil when it goes on for longer.
    func end(within seconds: Double) -> Int32? {
        eventually(within: seconds) { !process.isRunning } ? process.terminationStatus : nil
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
    }

    private static func bytes(_ path: String) -> [UInt8] {
        (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init) ?? []
    }
}

/// Whether a condition comes true within a time; looked at every 10 ms.
func eventually(within seconds: Double, _ condition: () -> Bool) -> Bool {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !condition() {
        if Date() > deadline { return false }
        usleep(10_000)
    }
    return true
}
