import Foundation
import TestSupport
import Testing

/// What the agent knows of its clock, at the check of a certificate.
@Suite(
    "Certificates and the clock",
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/python3"),
        "needs openssl and python3"))
struct CertificateClockTests {
    private let folder: TemporaryDirectory

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func start(_ program: String, _ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/\(program)")
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    /// Answers 404 to everybody who accepts its certificate, several at a time.
    private static let server = """
        import http.server, ssl, sys
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", int(sys.argv[2])), http.server.BaseHTTPRequestHandler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + "/cert.pem", sys.argv[1] + "/key.pem")
        server.socket = context.wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False)
        server.serve_forever()
        """

    /// Five minutes of a receiver that stands still, from `start` on.
    private static func sentences(from start: Date) -> String {
        let day = DateFormatter()
        day.locale = Locale(identifier: "en_US_POSIX")
        day.timeZone = TimeZone(identifier: "UTC")
        var lines = ""
        for second in 0..<300 {
            day.dateFormat = "HHmmss"
            let now = start.addingTimeInterval(Double(second))
            let time = day.string(from: now)
            day.dateFormat = "ddMMyy"
            for body in [
                "GPGGA,\(time).00,4724.0,N,00830.0,E,1,09,0.9,400.0,M,47.0,M,,",
                "GPRMC,\(time).00,A,4724.0,N,00830.0,E,0.0,0.0,\(day.string(from: now)),,,A",
            ] {
                let sum = body.utf8.reduce(0, ^)
                lines += "$\(body)*\(String(format: "%02X", sum))\r\n"
            }
        }
        return lines
    }

    /// The machine's clock is within the certificate's day, the satellites' is ten days later; the
    /// wall clock of an agent that hurries through a recording is vouched for by nobody.
    @Test("a certificate that is out of date by the satellites is refused")
    func outOfDate() throws {
        let made = try start(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", folder.file("key.pem"), "-out", folder.file("cert.pem"), "-days", "1",
                "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1",
            ])
        try #require(eventually(within: 20) { !made.isRunning })
        try #require(made.terminationStatus == 0)
        let port = Int.random(in: 30_000..<32_000)
        let server = try start("python3", ["-c", Self.server, folder.path, "\(port)"])
        defer { kill(server.processIdentifier, SIGKILL) }
        try Self.sentences(from: Date(timeIntervalSinceNow: 10 * 86_400))
            .write(toFile: folder.file("drive.nmea"), atomically: true, encoding: .utf8)
        try "gk_test_1".write(toFile: folder.file("key"), atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("key"))
        try """
        server: { url: "https://127.0.0.1:\(port)", key_file: \(folder.file("key")),
          ca_file: \(folder.file("cert.pem")) }
        upload: { interval_s: 1 }
        receiver: { source: file, path: \(folder.file("drive.nmea")), speed: 2 }
        device: { id: clock }
        state_directory: \(folder.file("state"))
        socket: \(folder.file("control.sock"))
        """.write(toFile: folder.file("geofenced.yaml"), atomically: true, encoding: .utf8)
        let agent = try BuiltProgram(
            "geofenced", ["run", "--config", folder.file("geofenced.yaml")], in: folder.path)
        try #require(eventually(within: 20) { agent.errors.contains("ready") }, "\(agent.errors)")
        // Something to upload.
        let change = try BuiltProgram(
            "geofenced",
            [
                "fences", "add", "--id", "yard", "--circle", "47.4,8.5,100", "--config",
                folder.file("geofenced.yaml"),
            ], in: folder.path)
        #expect(change.end(within: 20) == 0, "\(change.errors)")
        // 60: the server's certificate is not accepted. The first question for fences may come
        // before the time of the satellites is known for sure.
        let isRefused = eventually(within: 60) { agent.errors.contains("(curl 60)") }
        #expect(isRefused, "\(agent.errors)")
        agent.send(SIGTERM)
        #expect(agent.end(within: 15) == 0)
    }
}
