import Delivery
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WireFormat

/// A server in a process of its own, so that its memory is not ours: it takes every event.
private final class TakingServer {
    let port: Int
    private let process = Process()

    init() throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        try process.run()
        let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        port = try #require(Int(said.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    deinit { kill(process.processIdentifier, SIGKILL) }

    /// A connection ends after a hundred answers, so that new ones are made, too.
    private static let program = """
        import gzip, json, re, socket
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        length = re.compile(rb"content-length: *([0-9]+)", re.I)
        while True:
            connection, _ = listener.accept()
            data = b""
            for number in range(100):
                while b"\\r\\n\\r\\n" not in data:
                    piece = connection.recv(65536)
                    if not piece: break
                    data += piece
                if b"\\r\\n\\r\\n" not in data: break
                head, data = data.split(b"\\r\\n\\r\\n", 1)
                size = int(length.search(head)[1])
                while len(data) < size: data += connection.recv(65536)
                body, data = data[:size], data[size:]
                batch = json.loads(gzip.decompress(body) if b"gzip" in head.split(b"Content-Enc")[-1][:30] else body)
                answer = json.dumps({"batch_id": batch["batch_id"], "config_revision": 1, "results": [
                    {"client_event_id": event["client_event_id"], "status": "accepted"}
                    for event in batch["events"]]}).encode()
                last = b"Connection: close\\r\\n" if number == 99 else b""
                connection.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\n" + last
                                   + b"Content-Length: %d\\r\\n\\r\\n" % len(answer) + answer)
            connection.close()
        """
}

/// Pages of this process that are its own and in memory, bytes.
private func ownMemory() -> Int {
    let fields = SharedFolder.readFile("/proc/self/statm")
        .map { String(decoding: $0, as: UTF8.self).split(separator: " ").compactMap { Int($0) } }
    guard let fields, fields.count > 2 else { return 0 }
    return (fields[1] - fields[2]) * 4096
}

/// Bytes of the heap in use, of all arenas; zero where the C library does not say. Resident memory does not
/// show a leak that fits into what the start has left free.
private func heapInUse() -> Int {
    typealias Info = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt
    guard let symbol = dlsym(nil, "malloc_info"), let file = tmpfile() else { return 0 }
    defer { fclose(file) }
    guard unsafeBitCast(symbol, to: Info.self)(0, file) == 0 else { return 0 }
    rewind(file)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    guard let totals = text.range(of: "</heap>", options: .backwards) else { return 0 }
    var inUse = 0
    for line in text[totals.upperBound...].split(separator: "\n") {
        guard let size = line.range(of: "size=\"") else { continue }
        let value = Int(line[size.upperBound...].prefix { $0.isNumber }) ?? 0
        if line.contains("\"fast\"") || line.contains("\"rest\"") { inUse -= value }
        if line.contains("\"mmap\"") || line.contains("system type=\"current\"") { inUse += value }
    }
    return inUse
}

private func descriptors() -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
}

@Suite("Many requests")
struct GrowthTests {
    /// Beside other tests the memory of this process says nothing; alone, with
    /// `GEOFENCED_REQUESTS=100000`, it is held to its bound.
    @Test("leave no memory and no descriptor behind")
    func growth() throws {
        let asked = ProcessInfo.processInfo.environment["GEOFENCED_REQUESTS"].flatMap { Int($0) }
        let count = asked ?? 500
        let server = try TakingServer()
        let sender = HTTPEventSender(
            try transport("http://127.0.0.1:\(server.port)"), timekeeper: SettableTimekeeper())
        var batch = try sampleBatch(5)
        var (memory, heap, files) = (0, 0, 0)
        for number in 0..<count {
            // What libcurl, the allocator and Swift make once is made by then.
            if number == count / 10 {
                (memory, heap, files) = (ownMemory(), heapInUse(), descriptors())
            }
            batch.batchID = "b-\(number)"
            guard case .receipt(let receipt) = sender.send(batch) else {
                Issue.record("no receipt for \(number)")
                return
            }
            guard receipt.results.count == 5 else {
                Issue.record("a receipt for other events")
                return
            }
        }
        guard asked != nil else { return }
        let grown = ownMemory() - memory
        let used = heapInUse() - heap
        let opened = descriptors() - files
        print(
            "growth: \(count) requests, \(grown / 1024) KiB resident, \(used) bytes of heap,",
            "\(opened) descriptors")
        #expect(heap > 0, "the C library does not say what its heap holds")
        #expect(grown < 256 * 1024)
        #expect(used < 256 * 1024)
        #expect(descriptors() <= files)
    }
}
