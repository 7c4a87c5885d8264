import CMicrohttpd
import Glibc

/// The functions that libmicrohttpd calls, on its network threads.
///
/// The context is the `ServerCore` that the daemon retains; the socket context is the
/// `ClientConnection` that lives from the library's STARTED to its CLOSED.
enum DaemonCallbacks {
    /// Refuses newcomers while the server drains.
    ///
    /// `MHD_quiesce_daemon` would do it too, but it removes the listening socket from the epoll
    /// sets of a thread pool without a lock: a thread that has just woken removes it as well, and
    /// the second of the two ends the process (1.0.1 daemon.c, 5557 and 6184; 0.9.75 alike).
    static let accepts: MHD_AcceptPolicyCallback = { context, _, _ in
        core(context)?.isDraining == false ? .YES : .NO
    }

    static let connectionChanged: MHD_NotifyConnectionCallback = {
        context, handle, socketContext, change in
        guard let core = core(context), let handle, let socketContext else { return }
        if geofence_mhd_connection_started(change) != 0 {
            let connection = ClientConnection(
                descriptor: geofence_mhd_socket(handle), peer: peer(of: handle),
                limits: core.limits)
            core.connections.insert(connection)
            socketContext.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let pointer = socketContext.pointee {
            let connection = Unmanaged<ClientConnection>.fromOpaque(pointer).takeRetainedValue()
            socketContext.pointee = nil
            core.connections.remove(connection)
        }
    }

    static let requestLine:
        @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) ->
            UnsafeMutableRawPointer? = { context, target, handle in
                guard let core = core(context), let connection = connection(of: handle) else {
                    return nil
                }
                let text = target.map { String(cString: $0) } ?? ""
                connection.state.withLock { $0.beginRequest(target: text, limits: core.limits) }
                return nil
            }

    static let requestCompleted: MHD_RequestCompletedCallback = { context, handle, _, reason in
        guard let core = core(context), let connection = connection(of: handle) else { return }
        let record = connection.state.withLock { state in
            let record = state.accessRecord(
                peer: connection.peer,
                isComplete: geofence_mhd_answer_complete(reason) != 0)
            state.endRequest(limits: core.limits)
            return record
        }
        if let record { core.accessLog(record) }
    }

    static let handle: MHD_AccessHandlerCallback = {
        context, handle, _, method, _, data, size, _ in
        guard let core = core(context), let handle, let size,
            let connection = connection(of: handle)
        else { return .NO }
        let exchange = Exchange(core: core, connection: connection, handle: handle)
        if let data, size.pointee > 0 {
            let taken = exchange.receive(UnsafeRawBufferPointer(start: data, count: size.pointee))
            size.pointee = 0
            return taken
        }
        return exchange.proceed(method: method.map { String(cString: $0) } ?? "")
    }

    private static func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
        context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func connection(of handle: OpaquePointer?) -> ClientConnection? {
        handle.flatMap(geofence_mhd_socket_context).map {
            Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static func peer(of handle: OpaquePointer) -> String {
        guard let address = geofence_mhd_peer(handle) else { return "" }
        let size =
            Int32(address.pointee.sa_family) == AF_INET6
            ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var text = [CChar](repeating: 0, count: 64)
        let status = getnameinfo(
            address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
        guard status == 0 else { return "" }
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}
