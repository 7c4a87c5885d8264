import Cryptography
import Timekeeping
import WebServer

/// Finds out who asks.
struct Authentication: Sendable {
    let store: any ServerStore

    /// The key of a request that may use the endpoint. Throws 401 and 403.
    func key(
        of request: Request, for access: Endpoint.Access, now: UTCTime, commit: Int
    ) throws(RequestProblem) -> KeyRecord {
        guard let text = Self.keyText(request) else {
            throw Self.unauthorized("key_missing", "no Authorization: Bearer and no X-API-Key")
        }
        let key = try find(text, commit)
        if key.revokedAt != nil { throw Self.unauthorized("key_revoked", "the key was revoked") }
        if let end = key.expiresAt, end <= now {
            throw Self.unauthorized("key_expired", "the key expired at \(end)")
        }
        guard key.scope.isDevice == (access == .device) else {
            throw RequestProblem(
                403, "scope", "a \(key.scope.rawValue) key does not open this route")
        }
        return key
    }

    /// The id of the device that asks with this key. Throws 400 and 403.
    static func deviceID(of request: Request, key: KeyRecord) throws(RequestProblem) -> String {
        guard let id = request.headers["X-Device-Id"] else {
            throw RequestProblem(400, "device_id_missing", "X-Device-Id is missing")
        }
        guard isDeviceID(id) else {
            throw RequestProblem(
                400, "device_id_invalid",
                "X-Device-Id must be 1 to 64 characters of A-Z a-z 0-9 . _ -")
        }
        if let bound = key.deviceID, bound != id {
            throw RequestProblem(403, "device_mismatch", "the key belongs to another device")
        }
        return id
    }

    /// The member on whose behalf a device speaks; nil: not said. Throws 400: taking one that is
    /// misspelled for none would count its notifications as the device's.
    static func userID(of request: Request) throws(RequestProblem) -> String? {
        guard let id = request.headers["X-User-Id"] else { return nil }
        guard (1...128).contains(id.utf8.count), id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw RequestProblem(
                400, "user_id_invalid", "X-User-Id must be 1 to 128 visible ASCII characters")
        }
        return id
    }

    static func isDeviceID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private func find(_ text: String, _ commit: Int) throws(RequestProblem) -> KeyRecord {
        let hash: [UInt8]
        do { hash = try IssuedKey.hash(of: text) } catch {
            throw RequestProblem(
                503, "store_failed", "keys cannot be checked at present",
                headers: ["Retry-After": "30"])
        }
        let found: KeyRecord?
        do { found = try store.key(hash: hash, at: commit) } catch { throw RequestProblem(error) }
        guard let found, ConstantTime.areEqual(found.hash, hash) else {
            throw Self.unauthorized("key_unknown", "the key is not known here")
        }
        return found
    }

    private static func keyText(_ request: Request) -> String? {
        guard let field = request.headers["Authorization"]?.utf8, isBearer(field) else {
            return request.headers["X-API-Key"]
        }
        let words = field.split(separator: UInt8(ascii: " "), maxSplits: 2)
        return words.count > 1 ? String(words[1]) : nil
    }

    /// Whether a field begins with the scheme, in letters of either case, and a space.
    private static func isBearer(_ field: String.UTF8View) -> Bool {
        let scheme = "bearer ".utf8
        return field.count >= scheme.count && zip(field, scheme).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func unauthorized(_ code: String, _ detail: String) -> RequestProblem {
        RequestProblem(401, code, detail, headers: ["WWW-Authenticate": "Bearer"])
    }
}
