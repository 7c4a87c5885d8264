import Delivery
import Foundation
import HTTPTransport
import TestSupport
import Testing
import Timekeeping

@Suite("A way that is blocked")
struct ConnectionFailureTests {
    private func state(_ url: String) throws -> ConnectivityState? {
        switch try transport(url).perform(HTTPRequest(.get, "/", timeoutSeconds: 3)) {
        case .failed(let state, _): state
        case .answered, .stopped: nil
        }
    }

    @Test("a port that nobody listens on is a failed connection")
    func refused() throws {
        let server = try FaultServer { _ in [] }
        server.stop()
        #expect(try state("http://127.0.0.1:1") == .connectFailed)
    }

    @Test("a machine that does not answer is a failed connection")
    func unanswered() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var others: [Int32] = []
        defer { others.forEach { close($0) } }
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 0)
                _ = getsockname(listener, address, &length)
                // With its backlog full the kernel drops every further SYN.
                for _ in 0..<4 {
                    let other = socket(
                        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
                    _ = connect(other, address, length)
                    others.append(other)
                }
            }
        }
        let port = address.sin_port.bigEndian
        #expect(try state("http://127.0.0.1:\(port)") == .connectFailed)
    }

    @Test("a name that does not exist is a failed look-up")
    func unknownName() throws {
        #expect(try state("https://geofenced.invalid") == .dnsFailed)
    }

    @Test("a server without TLS behind https is a TLS failure")
    func noTLS() throws {
        let server = try FaultServer { _ in [.text("HTTP/1.1 200 OK\r\n\r\n")] }
        defer { server.stop() }
        #expect(try state("https://127.0.0.1:\(server.port)") == .tlsFailed)
    }

    @Test("a server that never answers is busy, a cut connection too")
    func silence() throws {
        let silent = try FaultServer { _ in [.wait(seconds: 10)] }
        defer { silent.stop() }
        #expect(try state(silent.url) == .serverBusy)
        let cutting = try FaultServer { _ in [.reset] }
        defer { cutting.stop() }
        #expect(try state(cutting.url) == .serverBusy)
    }

    @Test("a server that falls silent on a kept connection is busy, too")
    func silenceLater() throws {
        let server = try FaultServer { request in
            request.head.hasPrefix("GET /first ")
                ? [answer("200 KEEP", nil, [])] : [.wait(seconds: 10)]
        }
        defer { server.stop() }
        let connection = try transport(server.url)
        guard case .answered = connection.perform(HTTPRequest(.get, "/first")),
            case .failed(let state, _) = connection.perform(
                HTTPRequest(.get, "/second", timeoutSeconds: 3))
        else {
            Issue.record("not one answer and one failure")
            return
        }
        #expect(state == .serverBusy)
        #expect(server.connections == 1)
    }

    @Test("a stop ends a running transfer within a second or so, and all later ones at once")
    func stop() throws {
        let server = try FaultServer { _ in [.wait(seconds: 20)] }
        defer { server.stop() }
        let connection = try transport(server.url)
        let start = Date()
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.3)
            connection.stop()
        }
        guard case .stopped = connection.perform(HTTPRequest(.get, "/slow")) else {
            Issue.record("not stopped")
            return
        }
        #expect(Date().timeIntervalSince(start) < 5)
        guard case .stopped = connection.perform(HTTPRequest(.get, "/again")) else {
            Issue.record("not stopped")
            return
        }
        #expect(server.received.count == 1)
    }

    @Test("a proxy of the environment is not used")
    func environmentProxy() throws {
        setenv("http_proxy", "http://127.0.0.1:1", 1)
        setenv("all_proxy", "http://127.0.0.1:1", 1)
        setenv("no_proxy", "example.org", 1)
        defer {
            unsetenv("no_proxy")
            unsetenv("http_proxy")
            unsetenv("all_proxy")
        }
        let server = try FaultServer { _ in [answer("200 OK", "application/json", [])] }
        defer { server.stop() }
        #expect(try transport(server.url).checkHealth().state == .online)
    }

    @Test("a header that would begin another one is not sent")
    func headerInjection() throws {
        let server = try FaultServer { _ in [answer("200 OK", "application/json", [])] }
        defer { server.stop() }
        let outcome = try transport(server.url).perform(
            HTTPRequest(.get, "/", headers: [(name: "X-A", value: "1\r\nX-Evil: 2")]))
        guard case .failed(.endpointMismatch, _) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.received.isEmpty)
    }

    @Test(
        "only https leaves the machine",
        arguments: [
            ("https://fences.example.org", true), ("https://fences.example.org:8443/base/", true),
            ("http://localhost:8948", true), ("http://127.0.0.1:8948", true),
            ("http://127.8.9.1", true), ("http://[::1]:8948", true),
            ("http://fences.example.org", false), ("http://127.0.0.1.example.org", false),
            ("http://128.0.0.1", false), ("http://10.0.0.1", false), ("ftp://localhost", false),
            ("file:///etc/passwd", false), ("https://user:secret@example.org", false),
            ("https://example.org/?a=b", false), ("https://example.org/#x", false), ("", false),
            ("fences.example.org", false), ("https://", false),
        ])
    func serverURL(text: String, isAllowed: Bool) {
        #expect(((try? ServerURL(text)) != nil) == isAllowed)
    }

    @Test("a path keeps the base of the URL")
    func base() throws {
        let server = try FaultServer { _ in [answer("200 OK", "application/json", [])] }
        defer { server.stop() }
        _ = try transport(server.url + "/base/").checkHealth()
        #expect(server.received.first?.head.hasPrefix("GET /base/v1/healthz ") == true)
    }
}
