import Foundation
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("Control socket")
struct UnixSocketTests {
    let folder: TemporaryDirectory
    let loop: PollLoop

    init() throws {
        folder = try TemporaryDirectory()
        loop = try PollLoop(name: "control")
    }

    private func serve(
        _ name: String = "socket", limits: UnixSocketLimits = UnixSocketLimits(),
        handler: @escaping UnixSocketServer.Handler = { request, connection in
            connection.send(line: "you said ".utf8 + request)
            connection.finish()
        }
    ) throws -> UnixSocketServer {
        try UnixSocketServer(path: folder.file(name), limits: limits, on: loop, handler: handler)
    }

    private func ask(_ server: UnixSocketServer, _ text: String) throws -> [String] {
        let client = try UnixSocketClient(path: server.path)
        try client.send(line: Array(text.utf8))
        var lines: [String] = []
        while let line = try client.nextLine(milliseconds: 10_000) {
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return lines
    }

    private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<1000 {
            if try condition() { return true }
            usleep(10_000)
        }
        return false
    }

    @Test("a request gets its answer, and the peer is known")
    func answers() throws {
        let peers = Mutex<[PeerCredentials]>([])
        let server = try serve { request, connection in
            peers.withLock { $0.append(connection.peer) }
            connection.send(line: "1 ".utf8 + request)
            connection.send(line: "2".utf8)
            connection.finish()
        }
        #expect(try ask(server, "{\"kind\":\"status\"}") == ["1 {\"kind\":\"status\"}", "2"])
        let peer = try #require(peers.withLock { $0.first })
        #expect(peer.processID == getpid() && peer.userID == getuid() && peer.isOwner)
        #expect(peer.groupIDs.contains(getgid()))
        #expect(!peer.isMember(ofGroup: "no-such-group-here"))
        server.stop()
    }

    @Test("the file has the mode that is asked for, whatever the umask", arguments: [0o660, 0o600])
    func hasItsMode(mode: mode_t) throws {
        let server = try UnixSocketServer(
            path: folder.file("mode"), mode: mode, on: loop, handler: { _, _ in })
        var status = stat()
        #expect(stat(server.path, &status) == 0)
        #expect(status.st_mode & 0o777 == mode)
        server.stop()
        #expect(access(server.path, F_OK) != 0)
    }

    @Test("the file of a killed server is replaced, a living one is left alone")
    func replacesStaleFiles() throws {
        let path = folder.file("socket")
        let stale = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(stale, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(bound == 0 && listen(stale, 1) == 0)
        #expect(throws: SystemError("bind", path, code: EADDRINUSE)) { try serve() }
        close(stale)

        let server = try serve()
        #expect(try ask(server, "a") == ["you said a"])
        #expect(throws: SystemError("bind", path, code: EADDRINUSE)) { try serve() }
        #expect(try ask(server, "b") == ["you said b"])
        server.stop()
        let next = try serve()
        server.stop()
        #expect(try ask(next, "c") == ["you said c"])
        next.stop()
    }

    @Test("of servers that start at once, over the file of a killed one, exactly one listens")
    func startsOnce() async throws {
        for round in 0..<50 {
            let path = folder.file("race-\(round)")
            // What a killed server leaves: a socket file that nobody listens on.
            let stale = try serve("stale-\(round)")
            try #require(link(stale.path, path) == 0)
            stale.stop()
            let started = await withTaskGroup(of: UnixSocketServer?.self) { group in
                for _ in 0..<4 { group.addTask { try? serve("race-\(round)") } }
                return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
            }
            #expect(started.count == 1)
            #expect(try started.first.map { try ask($0, "a") } == ["you said a"])
            for server in started { server.stop() }
        }
    }

    @Test("a path that is no socket, or too long, is refused")
    func refusesOtherPaths() throws {
        try FileContents.replace(folder.file("plain"), with: [1])
        #expect(throws: SystemError("bind", folder.file("plain"), code: EEXIST)) {
            try serve("plain")
        }
        #expect(FileContents.line(folder.file("plain")) == nil)
        #expect(access(folder.file("plain"), F_OK) == 0)
        let long = String(repeating: "x", count: 108)
        #expect(throws: SystemError("bind", folder.file(long), code: ENAMETOOLONG)) {
            try serve(long)
        }
    }

    @Test(
        "a client too many is told so, whether it has asked already or not",
        arguments: [true, false])
    func tooMany(asksLate: Bool) throws {
        var limits = UnixSocketLimits()
        limits.maximumClients = 2
        limits.refusalOfClient = Array("too many clients (limit 2)".utf8)
        let server = try serve(limits: limits) { _, _ in }
        defer { server.stop() }
        let admitted = [
            try UnixSocketClient(path: server.path), try UnixSocketClient(path: server.path),
        ]
        #expect(eventually { server.counts.connected == 2 })
        let client = try UnixSocketClient(path: server.path)
        if asksLate { #expect(eventually { server.counts.refused == 1 }) }
        try client.send(line: Array("status".utf8))
        let line = try client.nextLine(milliseconds: 10_000)
        #expect(line.map { String(decoding: $0, as: UTF8.self) } == "too many clients (limit 2)")
        #expect(try client.nextLine(milliseconds: 10_000) == nil)
        #expect(server.counts.accepted == admitted.count)
    }

    @Test("a request that is too long is told so, while it is still being sent")
    func tooLong() throws {
        var limits = UnixSocketLimits()
        limits.maximumRequestBytes = 1000
        limits.refusalOfRequest = Array("longer than 1000 bytes".utf8)
        let server = try serve(limits: limits)
        defer { server.stop() }
        #expect(
            try ask(server, String(repeating: "x", count: 4_000_000)) == ["longer than 1000 bytes"])
        #expect(try ask(server, "a") == ["you said a"])
    }

    @Test("a client that does not read is dropped, and the others never wait for it")
    func dropsSlowReaders() throws {
        var limits = UnixSocketLimits()
        limits.maximumPendingBytes = 100_000
        limits.patienceMilliseconds = 2000
        let streams = Mutex<[UnixSocketConnection]>([])
        let ends = Mutex<[UnixSocketConnection.End]>([])
        let server = try serve(limits: limits) { request, connection in
            guard request == Array("watch".utf8) else {
                connection.send(line: "here".utf8)
                return connection.finish()
            }
            connection.onEnd { end in ends.withLock { $0.append(end) } }
            streams.withLock { $0.append(connection) }
        }
        let slow = try UnixSocketClient(path: server.path)
        try slow.send(line: Array("watch".utf8))
        #expect(eventually { streams.withLock { $0.count } == 1 })
        let stream = try #require(streams.withLock { $0.first })
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        let taken = (0..<100_000).prefix { _ in stream.send(line: line) }.count
        // The kernel's buffer and ours, and no more.
        #expect(taken > 100 && taken < 10_000)
        #expect(stream.isOpen)
        stream.finish(lastLine: Array("too slow".utf8))
        #expect(try ask(server, "status") == ["here"])
        #expect(eventually { ends.withLock { $0 } == [.tooSlow] })
        #expect(server.counts.dropped == 1)
        server.stop()
    }

    @Test("who waits for room loses no line to a slow client")
    func waitsForRoom() async throws {
        let results = Results()
        // Far more than a busy machine takes for the slow one.
        let server = try serveLines(patienceMilliseconds: 120_000, results)
        let path = server.path
        // On a thread of its own: blocked, it would hold one of the few that tasks have.
        let count: Int = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: (try? Self.readSlowly(path)) ?? -1) }.start()
        }
        #expect(count == 20_001)
        try await results.wait(count: 1)
        #expect(results.list.withLock { $0 } == ["done"])
        #expect(server.counts.dropped == 0)
        server.stop()
    }

    @Test("a client that stops reading is let go, also while somebody waits for room")
    func letsGo() async throws {
        let results = Results()
        let server = try serveLines(patienceMilliseconds: 1_000, results)
        let stuck = try UnixSocketClient(path: server.path)
        try stuck.send(line: Array("all".utf8))
        try await results.wait(count: 1)
        #expect(results.list.withLock { $0 } == ["gone"])
        #expect(server.counts.dropped == 1)
        withExtendedLifetime(stuck) {}
        server.stop()
    }

    /// Sends each client 20,000 lines and "end", and waits for room where there is none.
    private func serveLines(
        patienceMilliseconds: Int, _ results: Results
    ) throws -> UnixSocketServer {
        var limits = UnixSocketLimits()
        limits.maximumPendingBytes = 100_000
        limits.patienceMilliseconds = patienceMilliseconds
        return try serve(limits: limits) { _, connection in
            Task {
                for number in 0..<20_000 {
                    let line = Array("\(number) \(String(repeating: "x", count: 100))".utf8)
                    if connection.send(line: line) { continue }
                    guard await connection.waitForRoom(), connection.send(line: line) else {
                        return results.list.withLock { $0.append("gone") }
                    }
                }
                connection.finish(lastLine: Array("end".utf8))
                results.list.withLock { $0.append("done") }
            }
        }
    }

    /// How many lines came, in order, with pauses between.
    private static func readSlowly(_ path: String) throws -> Int {
        let slow = try UnixSocketClient(path: path)
        try slow.send(line: Array("all".utf8))
        var count = 0
        while let line = try slow.nextLine(milliseconds: 60_000) {
            if count % 2000 == 0 { usleep(50_000) }
            let text = String(decoding: line, as: UTF8.self)
            guard text == "end" || text.hasPrefix("\(count) ") else { return count }
            count += 1
        }
        return count
    }

    @Test("one line may be longer than the limit, and arrives whole")
    func sendsLongLines() throws {
        var limits = UnixSocketLimits()
        limits.maximumPendingBytes = 1000
        let server = try serve(limits: limits) { _, connection in
            connection.send(line: [UInt8](repeating: 65, count: 3_000_000))
            connection.finish()
        }
        #expect(try ask(server, "all").map(\.utf8.count) == [3_000_000])
        server.stop()
    }

    @Test("a stream goes on until the client leaves, which the server sees")
    func streams() throws {
        let ends = Mutex<[UnixSocketConnection.End]>([])
        let streams = Mutex<[UnixSocketConnection]>([])
        let server = try serve { _, connection in
            connection.onEnd { end in ends.withLock { $0.append(end) } }
            streams.withLock { $0.append(connection) }
            connection.send(line: "first".utf8)
        }
        do {
            let client = try UnixSocketClient(path: server.path)
            try client.send(line: Array("watch".utf8))
            #expect(try client.nextLine(milliseconds: 10_000) == Array("first".utf8))
            streams.withLock { $0.first }?.send(line: "second".utf8)
            #expect(try client.nextLine(milliseconds: 10_000) == Array("second".utf8))
            #expect(throws: UnixSocketClient.Failure.timedOut) {
                try client.nextLine(milliseconds: 20)
            }
        }
        #expect(eventually { ends.withLock { $0 } == [.left] })
        #expect(server.counts.connected == 0)
        #expect(streams.withLock { $0.first }?.send(line: "third".utf8) == false)
        server.stop()
    }

    @Test("more clients than allowed are turned away, and let in when others have left")
    func limitsClients() throws {
        var limits = UnixSocketLimits()
        limits.maximumClients = 2
        let server = try serve(limits: limits)
        do {
            let first = try UnixSocketClient(path: server.path)
            let second = try UnixSocketClient(path: server.path)
            #expect(eventually { server.counts.connected == 2 })
            let third = try UnixSocketClient(path: server.path)
            #expect(try third.nextLine(milliseconds: 10_000) == nil)
            #expect(server.counts.refused == 1)
            withExtendedLifetime((first, second)) {}
        }
        #expect(eventually { server.counts.connected == 0 })
        #expect(try ask(server, "a") == ["you said a"])
        server.stop()
    }

    @Test("a request that is too long or never comes ends the connection")
    func limitsRequests() throws {
        var limits = UnixSocketLimits()
        limits.maximumRequestBytes = 10_000
        limits.patienceMilliseconds = 100
        let server = try serve(limits: limits)
        #expect(try ask(server, String(repeating: "a", count: 10_000)).count == 1)
        let long = try UnixSocketClient(path: server.path)
        try? long.send(line: [UInt8](repeating: 65, count: 10_001))
        #expect(try long.nextLine(milliseconds: 10_000) == nil)
        let silent = try UnixSocketClient(path: server.path)
        #expect(try silent.nextLine(milliseconds: 10_000) == nil)
        server.stop()
    }

    @Test("stopping ends every connection")
    func stops() throws {
        let server = try serve { _, connection in connection.send(line: "on".utf8) }
        let client = try UnixSocketClient(path: server.path)
        try client.send(line: [65])
        #expect(try client.nextLine(milliseconds: 10_000) == Array("on".utf8))
        server.stop()
        #expect(try client.nextLine(milliseconds: 10_000) == nil)
        #expect(throws: UnixSocketClient.Failure.notRunning(path: server.path)) {
            try UnixSocketClient(path: server.path)
        }
    }

    @Test("many clients at once all get their own answer")
    func servesMany() async throws {
        var limits = UnixSocketLimits()
        limits.maximumClients = 100
        let server = try serve(limits: limits)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask { try ask(server, "\(number)") == ["you said \(number)"] }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(server.counts.accepted == 100)
        server.stop()
    }

    @Test(
        "another user without the group gets no permission",
        .enabled(
            if: getuid() == 0 && access("/usr/bin/setpriv", X_OK) == 0
                && access("/usr/bin/python3", X_OK) == 0,
            "needs root, setpriv and python3"))
    func keepsOthersOut() throws {
        chmod(folder.path, 0o755)
        let server = try serve()
        let script =
            "import socket; s = socket.socket(socket.AF_UNIX); "
            + "print(s.connect_ex('\(server.path)'))"
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/python3", "-c",
            script,
        ]
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: data, as: UTF8.self) == "\(EACCES)\n")
        server.stop()
    }
}

/// What happened, in order, for several threads.
private final class Results: Sendable {
    let list = Mutex<[String]>([])

    /// Returns once there are so many, or after two minutes.
    func wait(count: Int) async throws {
        for _ in 0..<12_000 where list.withLock({ $0.count < count }) {
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
