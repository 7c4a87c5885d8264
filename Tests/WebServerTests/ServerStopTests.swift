import Foundation
import Testing
import WebServer

@Suite("The end of an HTTP server")
struct ServerStopTests {
    @Test("stopping lets the running request end, and closes idle connections")
    func drain() throws {
        let entered = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        let server = try startServer { request in
            if request.path == "/slow" {
                entered.signal()
                gate.wait()
            }
            return Response(status: 200, body: Array("done".utf8))
        }
        let idle = try RawClient(port: server.address.port)
        idle.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(idle.read(until: "done") != nil)
        let busy = try RawClient(port: server.address.port)
        busy.send("GET /slow HTTP/1.1\r\nHost: t\r\n\r\n")
        entered.wait()
        let stopped = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            server.stop(drainingFor: 10)
            stopped.signal()
        }
        #expect(idle.readToEnd() == "")
        let late = try RawClient(port: server.address.port)
        late.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n")
        #expect(late.readToEnd() == "")
        gate.signal()
        let answer = try #require(busy.readToEnd())
        #expect(answer.contains("Connection: close"))
        #expect(answer.hasSuffix("done"))
        #expect(stopped.wait(timeout: .now() + 10) == .success)
        #expect(throws: RawClient.Failure.self) { _ = try RawClient(port: server.address.port) }
    }

    /// Where the library's threads are disturbed while they accept, it ends the whole process.
    @Test("a server stops while clients keep coming, again and again")
    func stopsUnderConnections() throws {
        for _ in 0..<40 {
            let server = try startServer()
            let port = server.address.port
            let clients = 3
            let ended = DispatchSemaphore(value: 0)
            let entered = DispatchSemaphore(value: 0)
            for _ in 0..<clients {
                Thread.detachNewThread {
                    for round in 0..<100_000 {
                        guard let client = try? RawClient(port: port) else { break }
                        client.send("GET / HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
                        if round == 3 { entered.signal() }
                    }
                    ended.signal()
                }
            }
            for _ in 0..<clients { #expect(entered.wait(timeout: .now() + 120) == .success) }
            server.stop(drainingFor: 10)
            for _ in 0..<clients { #expect(ended.wait(timeout: .now() + 120) == .success) }
        }
    }
}
