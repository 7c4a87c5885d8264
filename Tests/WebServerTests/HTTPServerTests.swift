import Foundation
import Synchronization
import Testing
import WebServer

@Suite("HTTP server over real sockets")
struct HTTPServerTests {
    @Test("port 0 is answered with the port that the system chose")
    func portZero() throws {
        let server = try startServer()
        #expect(server.address.port != 0)
        let client = try RawClient(port: server.address.port)
        client.send("GET /a/b?x=1 HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        let answer = try #require(client.readToEnd())
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        #expect(answer.contains("Content-Length: 17\r\n"))
        #expect(answer.hasSuffix("GET /a/b x=1 [] 0"))
    }

    @Test("an IPv6 address is listened on")
    func ipv6() throws {
        guard let server = try? startServer(at: "[::1]:0") else { return }
        let client = try RawClient(port: server.address.port, ipv6: true)
        client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a name, an address and a port are a Host", arguments: ["a", "[::1]:8948", "a.b-c:1"])
    func soundHost(host: String) throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        client.send("GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 200 "))
    }

    @Test(
        "a request has one Host",
        arguments: [
            "", "Host: a\r\nHost: b\r\n", "Host:\r\n", "Host: a b\r\n", "Host: a/b\r\n",
            "Host: u@a\r\n",
        ])
    func host(fields: String) throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        client.send("GET / HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 400 "))
    }

    @Test(
        "a long target and long fields are refused by this program, with a body too",
        arguments: [
            ("GET /%A HTTP/1.1\r\nHost: t\r\n", 8_191, 200),
            ("GET /%A HTTP/1.1\r\nHost: t\r\n", 8_192, 414),
            ("GET /?q=%A HTTP/1.1\r\nHost: t\r\n", 14_000, 414),
            ("GET / HTTP/1.1\r\nHost: t\r\nX-A: %A\r\n", 12_000, 200),
            ("GET / HTTP/1.1\r\nHost: t\r\nX-A: %A\r\n", 16_384, 431),
            ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nX-A: %A\r\n", 20_000, 431),
        ])
    func longHeader(head: String, length: Int, status: Int) throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        let text = head.replacingOccurrences(
            of: "%A", with: String(repeating: "a", count: length))
        client.send("\(text)Connection: close\r\n\r\n\(head.hasPrefix("POST") ? "abc" : "")")
        let answer = try #require(client.readToEnd())
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
    }

    @Test("a connection serves one request after the other")
    func keepAlive() throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        for index in 1...5 {
            client.send("GET /\(index) HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(client.read(until: "GET /\(index)  [] 0") != nil)
        }
    }

    @Test("requests sent together are answered in their order")
    func pipelining() throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        client.send(
            "POST /1 HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc"
                + "GET /2 HTTP/1.1\r\nHost: t\r\n\r\n"
                + "GET /3 HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        let answer = try #require(client.readToEnd())
        let places = ["POST /1  [abc] 3", "GET /2  [] 0", "GET /3  [] 0"].map {
            answer.range(of: $0)?.lowerBound
        }
        let found = places.compactMap { $0 }
        #expect(found.count == 3)
        #expect(found == found.sorted())
    }

    @Test(
        "a body arrives whole, announced or in chunks",
        arguments: [
            "Content-Length: 5\r\n\r\nhello",
            "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n",
        ])
    func body(rest: String) throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n" + rest)
        #expect(try #require(client.readToEnd()).hasSuffix("POST /  [hello] 5"))
    }

    @Test(
        "one byte over the body limit gets 413, announced or counted",
        arguments: [(1_000, 200), (1_001, 413), (3_000, 413)], [true, false])
    func bodyLimit(row: (size: Int, status: Int), announced: Bool) throws {
        var limits = ServerLimits()
        limits.bodyBytes = 1_000
        let server = try startServer(limits)
        let client = try RawClient(port: server.address.port)
        let body = String(repeating: "x", count: row.size)
        let framing =
            announced
            ? "Content-Length: \(row.size)\r\n\r\n\(body)"
            : "Transfer-Encoding: chunked\r\n\r\n\(String(row.size, radix: 16))\r\n\(body)\r\n0\r\n\r\n"
        client.send("POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n" + framing)
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 \(row.status) "))
    }

    @Test("a client that asks first is told 413 before it sends the body")
    func expectation() throws {
        var limits = ServerLimits()
        limits.bodyBytes = 10
        let server = try startServer(limits)
        let client = try RawClient(port: server.address.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 11\r\n\r\n")
        #expect(try #require(client.read(until: "\r\n\r\n")).hasPrefix("HTTP/1.1 413 "))
    }

    @Test("a body beyond what is drained ends the connection")
    func drainLimit() throws {
        var limits = ServerLimits()
        limits.bodyBytes = 10
        limits.drainedBytes = 100_000
        let server = try startServer(limits)
        let client = try RawClient(port: server.address.port)
        client.send("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = "2710\r\n" + String(repeating: "x", count: 10_000) + "\r\n"
        for _ in 0..<2_000 where !client.send(Array(chunk.utf8)) { return }
        Issue.record("20 MB were taken")
    }

    @Test(
        "a client that drips is cut off at the deadline",
        arguments: [
            "", "GET / HTTP/1.1\r\nX-A: ",
            "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 900\r\n\r\n",
        ])
    func slowClient(start text: String) throws {
        var limits = ServerLimits()
        limits.requestSeconds = 0.6
        let server = try startServer(limits)
        let client = try RawClient(port: server.address.port)
        let begin = ContinuousClock.now
        if !text.isEmpty { client.send(text) }
        // One byte each 50 ms keeps a time-out of inactivity from ever ending this.
        while client.send([UInt8(ascii: "a")]) {
            usleep(50_000)
            if begin.duration(to: .now) > .seconds(8) {
                Issue.record("still connected")
                return
            }
        }
        #expect(begin.duration(to: .now) >= .milliseconds(500))
    }

    @Test("a body that flows fast enough may take longer than the deadline of a dripping one")
    func steadyClient() throws {
        var limits = ServerLimits()
        limits.requestSeconds = 0.5
        let server = try startServer(limits)
        let client = try RawClient(port: server.address.port)
        client.send(
            "POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\nContent-Length: 10240\r\n\r\n")
        for _ in 0..<10 {
            client.send([UInt8](repeating: UInt8(ascii: "x"), count: 1_024))
            usleep(100_000)
        }
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a HEAD gets the header of its GET and no body")
    func head() throws {
        let server = try startServer()
        let client = try RawClient(port: server.address.port)
        client.send("HEAD /x HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        let answer = try #require(client.readToEnd())
        #expect(answer.contains("Content-Length: 13\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test("a handler that blocks does not hold up other connections")
    func blockingHandler() throws {
        let gate = DispatchSemaphore(value: 0)
        let server = try startServer { request in
            if request.path == "/slow" { gate.wait() }
            return Response(status: 200, body: Array(request.path.utf8))
        }
        let slow = try (0..<8).map { _ in try RawClient(port: server.address.port) }
        for client in slow {
            client.send("GET /slow HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        }
        for _ in 0..<4 {
            let quick = try RawClient(port: server.address.port)
            quick.send("GET /quick HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            #expect(try #require(quick.readToEnd()).hasSuffix("/quick"))
        }
        for _ in slow { gate.signal() }
        for client in slow { #expect(try #require(client.readToEnd()).hasSuffix("/slow")) }
    }

    @Test("a full line before the workers is refused with 503 and Retry-After")
    func overload() throws {
        var limits = ServerLimits()
        limits.workers = 1
        limits.waitingRequests = 1
        let gate = DispatchSemaphore(value: 0)
        let server = try startServer(limits) { _ in
            gate.wait()
            return Response(status: 200)
        }
        let clients = try (0..<4).map { _ in try RawClient(port: server.address.port) }
        for client in clients {
            client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            usleep(100_000)
        }
        for _ in clients { gate.signal() }
        let answers = clients.map { $0.readToEnd() ?? "" }
        #expect(answers.filter { $0.hasPrefix("HTTP/1.1 200 ") }.count == 2)
        let refused = answers.filter { $0.hasPrefix("HTTP/1.1 503 ") }
        #expect(refused.count == 2)
        #expect(refused.allSatisfy { $0.contains("Retry-After: 2\r\n") })
    }

    @Test("a lane that is full refuses with Retry-After, while the other answers at once")
    func lanes() throws {
        var limits = ServerLimits()
        limits.workers = 1
        limits.waitingRequests = 1
        let gate = DispatchSemaphore(value: 0)
        let server = try startServer(
            limits,
            handler: {
                if $0.method == "POST" { gate.wait() }
                return Response(status: 200, body: Array("done".utf8))
            }, lane: { $0.method == "POST" ? .writes : .reads })
        let writers = try (0..<4).map { _ in try RawClient(port: server.address.port) }
        for client in writers {
            client.send("POST / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            usleep(100_000)
        }
        for _ in 0..<4 {
            let reader = try RawClient(port: server.address.port)
            reader.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            #expect(try #require(reader.readToEnd()).hasPrefix("HTTP/1.1 200 "))
        }
        // The two that found no room were answered while the worker was still held.
        for client in writers.dropFirst(2) {
            let answer = try #require(client.readToEnd())
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.contains("Retry-After: 2\r\n"))
        }
        for _ in writers { gate.signal() }
        for client in writers.prefix(2) {
            #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test("the number of connections from one address is limited")
    func perAddress() throws {
        var limits = ServerLimits()
        limits.connectionsPerAddress = 3
        let server = try startServer(limits)
        let clients = try (0..<5).map { _ in try RawClient(port: server.address.port) }
        var answered = 0
        for client in clients {
            client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
            if client.read(until: "GET /  [] 0") != nil { answered += 1 }
        }
        // The library shares the limit among its network threads, so it may grant fewer.
        #expect((1...3).contains(answered))
    }

    @Test("the access log names path, status and sizes, and never the query")
    func accessLog() throws {
        let records = Mutex<[AccessRecord]>([])
        let server = try HTTPServer(
            listeningOn: #require(ListenAddress("127.0.0.1:0")),
            accessLog: { record in records.withLock { $0.append(record) } },
            handler: echo)
        let client = try RawClient(port: server.address.port)
        client.send(
            "POST /v1/x?lat=52.5&lon=13.4 HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n"
                + "Connection: close\r\n\r\nabc")
        let answer = try #require(client.readToEnd())
        server.stop()
        let record = try #require(records.withLock { $0 }.first)
        #expect(record.method == "POST" && record.path == "/v1/x" && record.status == 200)
        #expect(record.requestBytes == 3 && record.peer == "127.0.0.1" && record.isComplete)
        #expect(answer.hasSuffix("x?lat") == false && record.responseBytes > 0)
    }

    @Test("garbage is answered or cut, and the server lives on")
    func garbage() throws {
        let server = try startServer()
        let long = String(repeating: "a", count: 100_000)
        let rows = [
            "\u{0}\u{1}\u{2}\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
            "GET /\(long) HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nA: \(long)\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: -1\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999\r\n\r\n",
            "POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ]
        for row in rows {
            let client = try RawClient(port: server.address.port)
            client.send(row)
        }
        let client = try RawClient(port: server.address.port)
        client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        #expect(try #require(client.readToEnd()).hasPrefix("HTTP/1.1 200 "))
    }

    @Test("a line break in a header value does not forge a header")
    func headerInjection() throws {
        let server = try startServer { _ in
            Response(status: 200, headers: ["X-A": "1\r\nX-Forged: 2"])
        }
        let client = try RawClient(port: server.address.port)
        client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        #expect(try #require(client.readToEnd()).contains("X-Forged") == false)
    }

    @Test("a port in use is an error that names it")
    func portInUse() throws {
        let server = try startServer()
        let expected = StartError(address: server.address, call: "bind", code: EADDRINUSE)
        #expect(throws: expected) {
            _ = try HTTPServer(listeningOn: server.address, handler: echo)
        }
    }
}
