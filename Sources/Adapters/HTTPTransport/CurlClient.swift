import CCurl
import Compression
import Delivery
import Timekeeping

/// One connection to one server over libcurl, kept alive between requests. Blocks; it is used by
/// one thread at a time.
final class CurlClient {
    private let settings: TransportSettings
    private let control: TransferControl
    private let timekeeper: any Timekeeper
    private let verificationClock: @Sendable () -> VerificationClock
    private var handle: UnsafeMutableRawPointer?
    private var handleGeneration = 0
    /// Seconds since 1970 for the TLS callback, which reads it during a handshake.
    private let verificationSeconds: UnsafeMutablePointer<Int64>
    /// What libcurl says of a failure, of CURL_ERROR_SIZE characters.
    private let errorText: UnsafeMutablePointer<CChar>

    init(
        settings: TransportSettings, control: TransferControl, timekeeper: any Timekeeper,
        verificationClock: @escaping @Sendable () -> VerificationClock
    ) {
        _ = Self.library
        self.settings = settings
        self.control = control
        self.timekeeper = timekeeper
        self.verificationClock = verificationClock
        verificationSeconds = .allocate(capacity: 1)
        verificationSeconds.initialize(to: 0)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        if let handle { curl_easy_cleanup(handle) }
        verificationSeconds.deallocate()
        errorText.deallocate()
    }

    /// curl_global_init(3) must run once, before all else.
    private static let library = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    private enum Timeout {
        static let connectMilliseconds = 8000
        static let stallBytesPerSecond = 1
        static let stallSeconds = 15
        static let keepAliveSeconds = 15
        static let idleConnectionSeconds = 60
        static let happyEyeballsMilliseconds = 250
    }

    /// Bodies from this size on are compressed.
    private static let compressionThreshold = 1024

    /// `speaker` is who asks; everything else is as in the settings that this was made with.
    func perform(_ request: HTTPRequest, as speaker: TransportSettings) -> HTTPOutcome {
        if control.isStopped { return .stopped }
        guard let handle = readyHandle() else {
            return .failed(.serverBusy, reason: "libcurl has no memory")
        }
        let clock = verificationClock()
        verificationSeconds.pointee = (clock.time?.millisecondsSince1970 ?? 0) / 1000
        errorText.pointee = 0
        let transfer = Transfer(bodyLimit: request.answerLimit, control: control)
        var fields = standardHeaders(speaker) + request.headers.map { "\($0.name): \($0.value)" }
        var body = request.body
        if let plain = body, plain.count >= Self.compressionThreshold,
            let packed = try? Gzip.compress(plain)
        {
            body = packed
            fields.append("Content-Encoding: gzip")
        }
        let code = withExtendedLifetime(transfer) {
            run(request, body: body, fields: fields, transfer, on: handle)
        }
        return outcome(code, transfer, on: handle, clock: clock)
    }

    // MARK: The handle

    /// A fresh handle after a change of the network: names, routes and connections of the old one
    /// may be dead.
    private func readyHandle() -> UnsafeMutableRawPointer? {
        let generation = control.generation
        if let handle, handleGeneration == generation { return handle }
        if let handle { curl_easy_cleanup(handle) }
        handle = nil
        guard let made = curl_easy_init(), configure(made) == CURLE_OK else { return nil }
        handle = made
        handleGeneration = generation
        return made
    }

    private func configure(_ handle: UnsafeMutableRawPointer) -> CURLcode {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1),
            (CURLOPT_FOLLOWLOCATION, 0),
            (CURLOPT_CONNECTTIMEOUT_MS, Timeout.connectMilliseconds),
            (CURLOPT_LOW_SPEED_LIMIT, Timeout.stallBytesPerSecond),
            (CURLOPT_LOW_SPEED_TIME, Timeout.stallSeconds),
            (CURLOPT_TCP_KEEPALIVE, 1),
            (CURLOPT_TCP_KEEPIDLE, Timeout.keepAliveSeconds),
            (CURLOPT_TCP_KEEPINTVL, Timeout.keepAliveSeconds),
            (CURLOPT_MAXAGE_CONN, Timeout.idleConnectionSeconds),
            (CURLOPT_MAXCONNECTS, 1),
            (CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Timeout.happyEyeballsMilliseconds),
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            (CURLOPT_SSL_VERIFYPEER, 1),
            (CURLOPT_SSL_VERIFYHOST, 2),
            (CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2)),
        ]
        let texts: [(CURLoption, String?)] = [
            (CURLOPT_PROTOCOLS_STR, settings.server.isEncrypted ? "https" : "http"),
            // An empty text switches off the proxies of the environment.
            (CURLOPT_PROXY, ""),
            (CURLOPT_ACCEPT_ENCODING, "gzip"),
            (CURLOPT_USERAGENT, settings.userAgent),
            (CURLOPT_CAINFO, settings.authorityFile),
            (CURLOPT_SSLCERT, settings.clientCertificateFile),
            (CURLOPT_SSLKEY, settings.clientKeyFile),
        ]
        geofenced_curl_set_quick_exit(handle)
        var result = geofenced_curl_set_socket_options(handle)
        if result == CURLE_OK { result = geofenced_curl_set_error_text(handle, errorText) }
        if settings.server.isEncrypted, result == CURLE_OK {
            result = geofenced_curl_set_verification_time(handle, verificationSeconds)
        }
        for (option, value) in numbers where result == CURLE_OK {
            result = geofenced_curl_set_long(handle, option, value)
        }
        for case (let option, let value?) in texts where result == CURLE_OK {
            result = geofenced_curl_set_text(handle, option, value)
        }
        if settings.authorityFile == nil, result == CURLE_OK, SystemAuthorities.areHashed {
            result = geofenced_curl_set_text(handle, CURLOPT_CAINFO, nil)
        }
        return result
    }

    // MARK: One request

    private func standardHeaders(_ speaker: TransportSettings) -> [String] {
        var fields = [
            "X-Device-Id: \(speaker.deviceID)",
            "X-Client-Time: \(timekeeper.wallClock.time.rfc3339)",
            "Accept: application/json",
            // Without it libcurl waits a second for a 100 before it sends a larger body.
            "Expect:",
        ]
        // A device that is being provisioned has no key yet.
        if !speaker.apiKey.isEmpty { fields.append("Authorization: Bearer \(speaker.apiKey)") }
        if let userID = speaker.userID { fields.append("X-User-Id: \(userID)") }
        return fields
    }

    private func run(
        _ request: HTTPRequest, body: [UInt8]?, fields: [String], _ transfer: Transfer,
        on handle: UnsafeMutableRawPointer
    ) -> CURLcode {
        var list: UnsafeMutablePointer<curl_slist>?
        defer { curl_slist_free_all(list) }
        for field in fields + (body == nil ? [] : ["Content-Type: application/json"]) {
            // A line feed would begin a header of somebody else's choice.
            guard field.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }),
                let longer = curl_slist_append(list, field)
            else { return CURLE_BAD_FUNCTION_ARGUMENT }
            list = longer
        }
        var result = transfer.attach(to: handle)
        func set(_ code: @autoclosure () -> CURLcode) {
            if result == CURLE_OK { result = code() }
        }
        set(geofenced_curl_set_headers(handle, list))
        set(
            geofenced_curl_set_text(
                handle, CURLOPT_URL, settings.server.appending(request.path)))
        set(
            geofenced_curl_set_long(
                handle, CURLOPT_TIMEOUT_MS, Int(max(1, request.timeoutSeconds * 1000))))
        guard let body else {
            set(geofenced_curl_set_long(handle, CURLOPT_HTTPGET, 1))
            return result == CURLE_OK ? curl_easy_perform(handle) : result
        }
        return body.withUnsafeBytes { bytes in
            set(geofenced_curl_set_long(handle, CURLOPT_POST, 1))
            set(geofenced_curl_set_body(handle, bytes.baseAddress, curl_off_t(bytes.count)))
            return result == CURLE_OK ? curl_easy_perform(handle) : result
        }
    }

    private func outcome(
        _ code: CURLcode, _ transfer: Transfer, on handle: UnsafeMutableRawPointer,
        clock: VerificationClock
    ) -> HTTPOutcome {
        if code == CURLE_ABORTED_BY_CALLBACK { return .stopped }
        var status = 0
        geofenced_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        let isCut = code != CURLE_OK
        // A cut error answer still says what it says; of a cut receipt nothing is believed.
        if status >= 200, !isCut || CurlFailure.isOfBody(code) {
            let answer = HTTPAnswer(
                status: status, contentType: transfer.headers["content-type"],
                retryAfter: transfer.headers["retry-after"], date: transfer.headers["date"],
                body: transfer.body, isComplete: !isCut && !transfer.isOverLimit,
                isOverLimit: transfer.isOverLimit)
            return .answered(answer, headers: transfer.headers)
        }
        let failure = CurlFailure(
            code, String(cString: errorText), on: handle, settings: settings, clock: clock)
        return .failed(failure.state, reason: failure.reason)
    }
}
