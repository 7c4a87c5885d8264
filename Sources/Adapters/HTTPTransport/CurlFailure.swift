import CCurl
import Delivery
import Glibc

/// What a failed transfer says about the way to the server.
struct CurlFailure {
    let state: ConnectivityState
    /// A sentence without secrets.
    let reason: String

    /// `detail` is what libcurl says beyond the code; it may be empty.
    init(
        _ code: CURLcode, _ detail: String, on handle: UnsafeMutableRawPointer,
        settings: TransportSettings, clock: VerificationClock
    ) {
        let server = settings.server
        let alert = server.isEncrypted ? Self.alert(code, detail) : nil
        state =
            alert == nil
            ? Self.state(code, handle, isEncrypted: server.isEncrypted, clock) : .tlsFailed
        let words = alert ?? curl_easy_strerror(code).map { String(cString: $0) } ?? "error"
        let files = Self.files(code, settings).map { ", \($0)" }.joined()
        reason = "\(server.host): \(words) (curl \(code.rawValue))\(files)"
    }

    /// The files of this device that a failure is about, each after the key that names it.
    private static func files(_ code: CURLcode, _ settings: TransportSettings) -> [String] {
        let named: [(key: String, path: String?)] =
            switch code {
            case CURLE_SSL_CERTPROBLEM:
                [
                    ("client_certificate", settings.clientCertificateFile),
                    ("client_key", settings.clientKeyFile),
                ]
            case CURLE_SSL_CACERT_BADFILE: [("ca_file", settings.authorityFile)]
            default: []
            }
        return named.compactMap { file in file.path.map { "\(file.key) \($0)" } }
    }

    /// Errors after the headers of an answer: the body is cut off, too large or not what its
    /// encoding says.
    static func isOfBody(_ code: CURLcode) -> Bool {
        switch code {
        case CURLE_PARTIAL_FILE, CURLE_WRITE_ERROR, CURLE_BAD_CONTENT_ENCODING, CURLE_RECV_ERROR,
            CURLE_OPERATION_TIMEDOUT, CURLE_FILESIZE_EXCEEDED:
            true
        default: false
        }
    }

    /// The words of OpenSSL for the alert with which the server ended the connection; nil: it did
    /// not.
    ///
    /// With TLS 1.3 a server that does not accept the client's certificate says so after the
    /// handshake has succeeded here, so that it looks like a connection cut while reading or writing.
    private static func alert(_ code: CURLcode, _ detail: String) -> String? {
        // Word by word: looking for a text within a text would link the regex engine, 1.7 MB.
        guard code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR,
            detail.split(separator: " ").contains("alert")
        else { return nil }
        return String(detail.split(separator: ":").last?.prefix(80) ?? "alert")
    }

    private static func state(
        _ code: CURLcode, _ handle: UnsafeMutableRawPointer, isEncrypted: Bool,
        _ clock: VerificationClock
    ) -> ConnectivityState {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            return .dnsFailed
        case CURLE_COULDNT_CONNECT:
            let reasons = [Int(ENETUNREACH), Int(ENETDOWN), Int(EHOSTUNREACH), Int(EADDRNOTAVAIL)]
            return reasons.contains(number(CURLINFO_OS_ERRNO, handle)) ? .noRoute : .connectFailed
        case CURLE_OPERATION_TIMEDOUT:
            return timedOut(handle, isEncrypted: isEncrypted)
        case CURLE_PEER_FAILED_VERIFICATION:
            let verdict = number(CURLINFO_SSL_VERIFYRESULT, handle)
            let isOutOfDate =
                verdict == Int(X509_V_ERR_CERT_NOT_YET_VALID)
                || verdict == Int(X509_V_ERR_CERT_HAS_EXPIRED)
            return isOutOfDate && !clock.isTrusted ? .clockUnsynchronised : .tlsFailed
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
            CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_USE_SSL_FAILED,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
            return .tlsFailed
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_BAD_FUNCTION_ARGUMENT:
            return .endpointMismatch
        default:
            return .serverBusy
        }
    }

    /// How far the transfer had come tells where the time went.
    ///
    /// Only these three are set alike by libcurl 7.88 and 8.14: the pre-transfer time, once the
    /// way is ready for the request, on a kept connection too (where 8.14 leaves the look-up time
    /// at 0); the look-up time, once an address is known; the count of connections, once TCP is
    /// connected. 7.88 sets its connect time only after the handshake of TLS, and 8.14 the
    /// address of the server.
    private static func timedOut(
        _ handle: UnsafeMutableRawPointer, isEncrypted: Bool
    ) -> ConnectivityState {
        if offset(CURLINFO_PRETRANSFER_TIME_T, handle) > 0 { return .serverBusy }
        if offset(CURLINFO_NAMELOOKUP_TIME_T, handle) == 0 { return .dnsFailed }
        if number(CURLINFO_NUM_CONNECTS, handle) == 0 { return .connectFailed }
        return isEncrypted ? .tlsFailed : .serverBusy
    }

    private static func number(_ info: CURLINFO, _ handle: UnsafeMutableRawPointer) -> Int {
        var value = 0
        geofenced_curl_get_long(handle, info, &value)
        return value
    }

    private static func offset(_ info: CURLINFO, _ handle: UnsafeMutableRawPointer) -> curl_off_t {
        var value: curl_off_t = 0
        geofenced_curl_get_offset(handle, info, &value)
        return value
    }
}
