import CLinux
import Glibc
import Synchronization

/// Names of machines into addresses, by the system's resolver, within a time.
public enum NameLookup {
    public enum Outcome: Hashable, Sendable {
        /// At least one, in the order in which to try them.
        case found([NetworkAddress])
        case failed(String)
        case timedOut
    }

    /// Looks a name or an address up. getaddrinfo(3) cannot be stopped: when the time is over, its
    /// thread is left to end by itself.
    public static func addresses(of host: String, port: Int, milliseconds: Int) -> Outcome {
        let answer = Answer()
        do throws(SystemError) {
            let thread = try DedicatedThread(name: "resolver") {
                let outcome = resolve(host, port)
                answer.value.withLock { $0 = outcome }
            }
            guard thread.join(milliseconds: milliseconds) else { return .timedOut }
        } catch {
            return .failed(error.description)
        }
        return answer.value.withLock { $0 } ?? .timedOut
    }

    private final class Answer: Sendable {
        let value = Mutex<Outcome?>(nil)
    }

    private static func resolve(_ host: String, _ port: Int) -> Outcome {
        // The brackets of a URL are none of the address.
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let name = isBracketed ? String(host.dropFirst().dropLast()) : host
        var list: UnsafeMutablePointer<addrinfo>?
        let status = clinux_resolve(name, "\(port)", &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            return .failed(gai_strerror(status).map { String(cString: $0) } ?? "error \(status)")
        }
        var found: [NetworkAddress] = []
        var next = list
        while let entry = next, found.count < limit {
            if let address = address(entry.pointee) { found.append(address) }
            next = entry.pointee.ai_next
        }
        return found.isEmpty ? .failed("no address") : .found(found)
    }

    private static func address(_ entry: addrinfo) -> NetworkAddress? {
        guard let pointer = entry.ai_addr else { return nil }
        let count = Int(entry.ai_addrlen)
        var host = [CChar](repeating: 0, count: 128)
        var port = [CChar](repeating: 0, count: 16)
        guard
            getnameinfo(
                pointer, entry.ai_addrlen, &host, socklen_t(host.count), &port,
                socklen_t(port.count), Int32(NI_NUMERICHOST | NI_NUMERICSERV)) == 0
        else { return nil }
        let (name, number) = (text(host), text(port))
        return NetworkAddress(
            description: entry.ai_family == AF_INET6 ? "[\(name)]:\(number)" : "\(name):\(number)",
            family: entry.ai_family,
            bytes: Array(UnsafeRawBufferPointer(start: pointer, count: count)))
    }

    private static func text(_ characters: [CChar]) -> String {
        String(
            decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Addresses of one name that are kept.
    private static let limit = 8
}
