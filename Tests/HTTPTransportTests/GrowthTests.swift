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
        var (memory, files) = (0, 0)
        for number in 0..<count {
            // What libcurl, the allocator and Swift make once is made by then.
            if number == count / 10 { (memory, files) = (ownMemory(), descriptors()) }
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
        print(
            "growth: \(count) requests, \(grown / 1024) KiB, \(descriptors() - files) descriptors")
        #expect(grown < 256 * 1024)
        #expect(descriptors() <= files)
    }
}
