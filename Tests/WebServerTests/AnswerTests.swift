import Foundation
import Synchronization
import Testing

@testable import WebServer

@Suite("Answers that take their time")
struct AnswerTests {
    private func start(
        networkThreads: Int = 2, _ handler: @escaping HTTPServer.Handler
    ) throws -> HTTPServer {
        var limits = ServerLimits()
        limits.workers = 2
        limits.networkThreads = networkThreads
        let address = try #require(ListenAddress("127.0.0.1:0"))
        return try HTTPServer(listeningOn: address, limits: limits, handler: handler)
    }

    private func get(_ server: HTTPServer, _ path: String = "/") throws -> RawClient {
        let client = try RawClient(port: server.address.port)
        client.send("GET \(path) HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        return client
    }

    @Test("a stream arrives whole and chunked, larger than any buffer")
    func stream() throws {
        let pieces = 300
        let server = try start { _ in
            let count = Mutex(0)
            var response = Response(status: 200, headers: ["Content-Type": "text/plain"])
            response.stream = BodyStream {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return number > pieces
                    ? nil : Array((String(repeating: "x", count: number * 37) + "\n").utf8)
            }
            return response
        }
        let answer = try #require(try get(server).readToEnd())
        #expect(answer.contains("Transfer-Encoding: chunked"))
        #expect(answer.hasSuffix("0\r\n\r\n"))
        let letters = answer.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            .filter { $0 == "x" }
        #expect(letters.count == (1...pieces).reduce(0) { $0 + $1 * 37 })
    }

    @Test("an empty piece is no end, and a source that throws cuts the answer off")
    func broken() throws {
        struct Broken: Error {}
        let server = try start { request in
            let count = Mutex(0)
            var response = Response(status: 200)
            response.stream = BodyStream {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                switch number {
                case 1: return Array("first".utf8)
                case 2: return []
                case 3 where request.path == "/broken": throw Broken()
                case 3: return Array("last".utf8)
                default: return nil
                }
            }
            return response
        }
        let whole = try #require(try get(server, "/whole").readToEnd())
        #expect(whole.contains("first") && whole.contains("last") && whole.hasSuffix("0\r\n\r\n"))
        let cut = try get(server, "/broken").readToEnd() ?? ""
        #expect(!cut.hasSuffix("0\r\n\r\n"))
    }

    @Test("a stream that searches for long lets the others of its thread have their answers")
    func searching() throws {
        struct GaveUp: Error {}
        let isAsked = Atomic(false)
        let begun = ContinuousClock.now
        let server = try start(networkThreads: 1) { request in
            if request.path == "/other" {
                isAsked.store(true, ordering: .releasing)
                return Response(status: 200, body: Array("done".utf8))
            }
            let isOver = Atomic(false)
            var response = Response(status: 200)
            response.stream = BodyStream {
                if isOver.load(ordering: .relaxed) { return nil }
                guard isAsked.load(ordering: .acquiring) else {
                    if ContinuousClock.now - begun > .seconds(8) { throw GaveUp() }
                    usleep(1_000)
                    return []
                }
                isOver.store(true, ordering: .relaxed)
                return Array("found".utf8)
            }
            return response
        }
        let searching = try get(server)
        let head = try #require(searching.read(until: "\r\n\r\n"))
        #expect(head.contains("200"))
        #expect(try #require(try get(server, "/other").readToEnd()).hasSuffix("done"))
        let found = try #require(searching.readToEnd())
        #expect(found.contains("found") && found.hasSuffix("0\r\n\r\n"))
    }

    @Test("answers that wait hold up nobody, though there are more of them than workers")
    func delayed() throws {
        let server = try start { request in
            var response = Response(status: 200, body: Array("done".utf8))
            if request.path == "/slow" { response.delaySeconds = 1 }
            return response
        }
        let begun = ContinuousClock.now
        let slow = try (0..<12).map { _ in try get(server, "/slow") }
        #expect(try #require(try get(server).readToEnd()).hasSuffix("done"))
        let quick = ContinuousClock.now - begun
        for client in slow { #expect(try #require(client.readToEnd()).hasSuffix("done")) }
        let all = ContinuousClock.now - begun
        #expect(all >= .seconds(1))
        #expect(quick < .seconds(1))
    }

    @Test("a server that stops lets waiting answers leave at once")
    func stopping() throws {
        let server = try start { _ in
            var response = Response(status: 200, body: Array("done".utf8))
            response.delaySeconds = 60
            return response
        }
        let client = try get(server)
        usleep(300_000)
        let begun = ContinuousClock.now
        server.stop(drainingFor: 20)
        #expect(ContinuousClock.now - begun < .seconds(15))
        #expect(try #require(client.readToEnd()).hasSuffix("done"))
    }
}
