import CMicrohttpd

/// One step of one request on a network thread: header, piece of body, end of body, answer.
///
/// `@unchecked`: the handle is used by one thread at a time. The network thread gives it away by
/// suspending the connection before a worker gets it, and the worker's last act is to resume it.
struct Exchange: @unchecked Sendable {
    let core: ServerCore
    let connection: ClientConnection
    let handle: OpaquePointer

    /// The library calls without data at the header, at the end of the body, and once a worker
    /// has resumed the connection.
    func proceed(method: String) -> MHD_Result {
        switch connection.state.withLock({ $0.next }) {
        case .takeHeader: takeHeader(method: method)
        case .refuseBody(let request):
            send(core.refusal(.bodyTooLarge(limit: core.limits.bodyBytes), request))
        case .handle(let request): handOver(request)
        case .answer(let response): send(response)
        case .cut: .NO
        }
    }

    func receive(_ piece: UnsafeRawBufferPointer) -> MHD_Result {
        connection.state.withLock { state in
            state.received(bytes: piece.count)
            return state.intake?.receive(piece) ?? false
        } ? .YES : .NO
    }

    private func takeHeader(method: String) -> MHD_Result {
        let headers = readHeaders()
        let refusal = connection.state.withLock { state in
            state.intake?.begin(method: method, headers: headers, peer: connection.peer)
                .map { ($0, state.intake?.head) }
        }
        guard let (reason, request) = refusal, let request else { return .YES }
        return send(core.refusal(reason, request))
    }

    private func handOver(_ request: Request) -> MHD_Result {
        MHD_suspend_connection(handle)
        let taken = core.submit(request) {
            let response = core.handler(request)
            core.delayed.hold(for: response.delaySeconds) { resume(with: response) }
        }
        if !taken { resume(with: core.refusal(.overloaded, request)) }
        return .YES
    }

    private func resume(with response: Response) {
        connection.state.withLock { $0.response = response }
        MHD_resume_connection(handle)
    }

    private func send(_ response: Response) -> MHD_Result {
        let response = core.finished(response)
        connection.state.withLock { $0.beginAnswer(response, limits: core.limits) }
        guard let built = build(response) else { return .NO }
        defer { MHD_destroy_response(built) }
        for field in response.headers.fields {
            // Refused by the library: a line break in a value, which would forge a header.
            MHD_add_response_header(built, field.name, field.value)
        }
        return MHD_queue_response(handle, UInt32(clamping: response.status), built)
    }

    private func build(_ response: Response) -> OpaquePointer? {
        if let stream = response.stream {
            return StreamedBody.response(StreamedBody(stream, to: self))
        }
        return response.body.withUnsafeBytes {
            MHD_create_response_from_buffer(
                $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress),
                .RESPMEM_MUST_COPY)
        }
    }

    private func readHeaders() -> Headers {
        var headers = Headers()
        withUnsafeMutablePointer(to: &headers) { pointer in
            _ = MHD_get_connection_values(
                handle, .HEADER_KIND,
                { context, _, name, value in
                    guard let context, let name else { return .NO }
                    context.assumingMemoryBound(to: Headers.self).pointee.append(
                        String(cString: name), value.map { String(cString: $0) } ?? "")
                    return .YES
                }, pointer)
        }
        return headers
    }
}

extension ClientConnection.State {
    enum Step {
        case takeHeader
        case refuseBody(Request)
        case handle(Request)
        case answer(Response)
        case cut
    }

    /// What a call without data means now.
    fileprivate var next: Step {
        mutating get {
            if let ready = response { return .answer(ready) }
            guard phase == .receiving, let head = intake?.head else {
                return phase == .receiving ? .takeHeader : .cut
            }
            if intake?.isTooLarge == true { return .refuseBody(head) }
            guard let request = intake?.finish() else { return .cut }
            beginHandling()
            return .handle(request)
        }
    }
}
