import Testing
import WebServer

let echo: HTTPServer.Handler = { request in
    let body = String(decoding: request.body, as: UTF8.self)
    let text =
        "\(request.method) \(request.path) \(request.query ?? "") [\(body)] \(request.body.count)"
    return Response(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
}

func startServer(
    _ limits: ServerLimits = ServerLimits(), at address: String = "127.0.0.1:0",
    handler: @escaping HTTPServer.Handler = echo,
    lane: @escaping HTTPServer.LaneChoice = { _ in .reads }
) throws -> HTTPServer {
    try HTTPServer(
        listeningOn: #require(ListenAddress(address)), limits: limits, lane: lane,
        handler: handler)
}
