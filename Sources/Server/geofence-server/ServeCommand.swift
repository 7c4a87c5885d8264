import CommandLineTool
import ConfigurationFile
import LinuxSystem
import ReferenceServer
import Timekeeping
import WebServer

/// Serves until SIGTERM or SIGINT.
struct ServeCommand: Command {
    static let declaration = CommandDeclaration(
        "serve", summary: "answer devices and administrators",
        example: "serve --database /var/lib/geofence-server/server.db --listen 127.0.0.1:8948",
        discussion: """
            Says 'listening on http://ADDRESS:PORT' on standard error once it answers; port 0 \
            lets the system choose. SIGTERM lets running requests end. TLS is the work of a \
            reverse proxy in front of it.
            """,
        options: [
            .value("database", "PATH", "the server's database"),
            .value(
                "listen", "ADDRESS:PORT", "numeric address, such as 127.0.0.1:0 or [::]:8948",
                default: ServerConfiguration.defaultListen),
            .value("config", "FILE", "a YAML file with database, listen, limits"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let configuration = try configuration(arguments)
        guard let address = ListenAddress(configuration.listen) else {
            throw UsageError(
                "--listen: '\(configuration.listen)' is not a numeric address and port")
        }
        guard let database = configuration.database else {
            throw UsageError("--database is required")
        }
        let loop = try PollLoop(name: "signals")
        let signals = try SignalMonitor(on: loop)
        let log = JournalLogSink(threshold: configuration.logLevel)
        let store = try StoreAccess.open(database)
        let index = try store.prepareSearch()
        let server = ReferenceServer(
            store: store, timekeeper: SystemTimekeeper(), log: log,
            limits: configuration.requests)
        let web = try HTTPServer(
            listeningOn: address, limits: configuration.limits,
            refusal: { server.refuse($0, $1) }, accessLog: { log.write(LogLine($0)) },
            lane: { server.lane(of: $0) }, handler: { server.answer($0) })
        try console.errors.line("listening on http://\(web.address)")
        try console.errors.flush()
        if !web.address.isLoopback {
            log.write(
                LogLine(
                    .warning,
                    "\(web.address) is not of this machine alone: keys and places go over plain HTTP "
                        + "unless a reverse proxy with TLS is all that can reach it"))
        }
        log.write(
            LogLine(.info, "\(index.fences) fences indexed, \(index.bytes / 1_048_576) MiB"))
        let notifier = SystemdNotifier()
        notifier.send(.ready, .status("listening on \(web.address)"))
        let housekeeping = try Housekeeping(
            store, days: configuration.retentionDays, timekeeper: SystemTimekeeper(), log: log)
        for await signal in signals.signals where signal != .hangUp { break }
        notifier.send(.stopping)
        housekeeping.stop()
        log.write(LogLine(.info, "stopping"))
        web.stop(drainingFor: configuration.drainSeconds)
        try store.checkpoint()
        return .success
    }

    private static func configuration(
        _ arguments: ParsedArguments
    ) throws -> ServerConfiguration {
        var configuration = ServerConfiguration()
        if let path = arguments.string("config") {
            do {
                configuration = try ConfigurationFile(path: path)
                    .decode(ServerConfiguration.self).value
            } catch {
                throw CommandFailure("\(error)", status: .configuration)
            }
        }
        if let listen = arguments.string("listen") { configuration.listen = listen }
        if let database = arguments.string("database") { configuration.database = database }
        return configuration
    }
}

extension LogLine {
    /// One line of the access log: no query, so no coordinate.
    init(_ record: AccessRecord) {
        let status = record.status.map { String($0) } ?? "aborted"
        let milliseconds = (record.seconds * 10_000).rounded() / 10
        self.init(
            record.status.map { $0 >= 500 } ?? false ? .warning : .info,
            "\(record.peer) \(record.method) \(record.path.prefix(200)) \(status) "
                + "\(record.requestBytes) \(record.responseBytes) \(milliseconds) ms")
    }
}
