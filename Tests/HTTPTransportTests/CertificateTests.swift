import Delivery
import Foundation
import HTTPTransport
import TestSupport
import Testing
import Timekeeping

/// The `openssl` program as a child process.
private final class OpenSSLProgram {
    static let path = "/usr/bin/openssl"
    static var isInstalled: Bool { access(path, X_OK) == 0 }

    private var pid: pid_t = 0

    init(_ arguments: [String]) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var list = ([Self.path] + arguments).map { strdup($0) } + [nil]
        defer { list.forEach { free($0) } }
        let result = posix_spawn(&pid, Self.path, &actions, nil, &list, environ)
        guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: result) ?? .EIO) }
    }

    /// The exit status.
    func wait() -> Int32 {
        var status: Int32 = 0
        waitpid(pid, &status, 0)
        pid = 0
        return status
    }

    deinit {
        guard pid > 0 else { return }
        kill(pid, SIGKILL)
        _ = wait()
    }
}

/// A TLS server on a port of its own.
private final class TLSServer {
    let port: Int
    private let program: OpenSSLProgram

    /// `clientAuthority`: who must have signed the client's certificate; nil: it needs none.
    init(certificate: String, key: String, clientAuthority: String? = nil) throws {
        port = Int.random(in: 20_000..<30_000)
        let mutual = clientAuthority.map {
            ["-Verify", "1", "-verify_return_error", "-CAfile", $0]
        }
        program = try OpenSSLProgram(
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
                "-www", "-quiet",
            ] + (mutual ?? []))
        for _ in 0..<100 {
            Thread.sleep(forTimeInterval: 0.05)
            if Self.canConnect(port) { return }
        }
    }

    private static func canConnect(_ port: Int) -> Bool {
        let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(probe) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(probe, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

@Suite(
    "TLS", .serialized,
    .enabled(if: OpenSSLProgram.isInstalled, "the openssl program is not installed"))
struct CertificateTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A self-signed certificate for `host`, valid from now for some days.
    private func makeCertificate(_ host: String) throws {
        let program = try OpenSSLProgram([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-keyout", directory.file("key.pem"), "-out", directory.file("cert.pem"), "-days", "30",
            "-subj", "/CN=test", "-addext", "subjectAltName=\(host)",
        ])
        try #require(program.wait() == 0)
    }

    private func outcome(
        _ host: String = "IP:127.0.0.1", trustsIt: Bool = true,
        clock: VerificationClock = .system
    ) throws -> HTTPOutcome {
        try makeCertificate(host)
        let server = try TLSServer(
            certificate: directory.file("cert.pem"), key: directory.file("key.pem"))
        let connection = try transport(
            "https://127.0.0.1:\(server.port)",
            authorityFile: trustsIt ? directory.file("cert.pem") : nil, clock: { clock })
        return connection.perform(HTTPRequest(.get, "/", timeoutSeconds: 5))
    }

    private func state(_ outcome: HTTPOutcome) -> ConnectivityState? {
        switch outcome {
        case .failed(let state, _): state
        case .answered, .stopped: nil
        }
    }

    private func clock(days: Double, isTrusted: Bool) -> VerificationClock {
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        return VerificationClock(
            time: UTCTime(millisecondsSince1970: now + Int64(days * 86_400_000)),
            isTrusted: isTrusted)
    }

    @Test("an own authority is trusted, and only where it is configured")
    func authority() throws {
        guard case .answered(let answer, _) = try outcome() else {
            Issue.record("no answer")
            return
        }
        #expect(answer.status == 200)
        #expect(state(try outcome(trustsIt: false)) == .tlsFailed)
    }

    @Test(
        "a server that wants the client's certificate gets it, and its refusal is one of TLS",
        arguments: [true, false])
    func mutual(hasCertificate: Bool) throws {
        try makeCertificate("IP:127.0.0.1")
        let (certificate, key) = (directory.file("cert.pem"), directory.file("key.pem"))
        let server = try TLSServer(
            certificate: certificate, key: key, clientAuthority: certificate)
        let connection = HTTPConnection(
            settings: TransportSettings(
                server: try ServerURL("https://127.0.0.1:\(server.port)"), apiKey: "k",
                deviceID: "van-7", authorityFile: certificate,
                clientCertificateFile: hasCertificate ? certificate : nil,
                clientKeyFile: hasCertificate ? key : nil, version: "1", architecture: "x"),
            timekeeper: SettableTimekeeper())
        switch connection.perform(HTTPRequest(.get, "/", timeoutSeconds: 20)) {
        case .answered(let answer, _): #expect(hasCertificate && answer.status == 200)
        case .failed(let state, let reason):
            #expect(!hasCertificate && state == .tlsFailed, "\(reason)")
            #expect(reason.contains("alert"), "\(reason)")
        case .stopped: Issue.record("stopped")
        }
    }

    @Test("a file of this device that is missing or no certificate is named")
    func localFiles() throws {
        try makeCertificate("IP:127.0.0.1")
        let (certificate, key) = (directory.file("cert.pem"), directory.file("key.pem"))
        let server = try TLSServer(certificate: certificate, key: key)
        let (missing, broken) = (directory.file("missing.pem"), directory.file("broken.pem"))
        try "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n"
            .write(toFile: broken, atomically: true, encoding: .utf8)
        func reason(_ authority: String, _ certificate: String, _ key: String) throws -> String {
            let connection = HTTPConnection(
                settings: TransportSettings(
                    server: try ServerURL("https://127.0.0.1:\(server.port)"), apiKey: "k",
                    deviceID: "van-7", authorityFile: authority,
                    clientCertificateFile: certificate, clientKeyFile: key, version: "1",
                    architecture: "x"),
                timekeeper: SettableTimekeeper())
            guard
                case .failed(.tlsFailed, let reason) = connection.perform(
                    HTTPRequest(.get, "/", timeoutSeconds: 20))
            else { return "no failure of TLS" }
            return reason
        }
        for file in [missing, broken] {
            let ofAuthority = try reason(file, certificate, key)
            #expect(ofAuthority.hasSuffix(", ca_file \(file)"), "\(ofAuthority)")
            let ofCertificate = try reason(certificate, file, key)
            #expect(
                ofCertificate.hasSuffix(", client_certificate \(file), client_key \(key)"),
                "\(ofCertificate)")
            let ofKey = try reason(certificate, certificate, file)
            #expect(ofKey.hasSuffix(", client_key \(file)"), "\(ofKey)")
        }
        #expect(try reason(certificate, certificate, key) == "no failure of TLS")
    }

    @Test("a certificate for another host is refused")
    func wrongHost() throws {
        #expect(state(try outcome("DNS:other.example.org")) == .tlsFailed)
    }

    @Test(
        "a certificate is judged at the time that is handed in",
        arguments: [
            (10.0, true, nil), (40, true, .tlsFailed), (-2, true, .tlsFailed),
            (40, false, .clockUnsynchronised), (-2, false, .clockUnsynchronised), (10, false, nil),
        ] as [(Double, Bool, ConnectivityState?)])
    func time(days: Double, isTrusted: Bool, expected: ConnectivityState?) throws {
        let result = try outcome(clock: clock(days: days, isTrusted: isTrusted))
        #expect(state(result) == expected)
    }
}
