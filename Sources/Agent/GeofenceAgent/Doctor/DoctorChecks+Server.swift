import Delivery

extension DoctorChecks {
    /// Route, DNS, TCP, TLS, health and authorisation; `facts` nil: there is no server to ask,
    /// because of `reason`.
    public static func server(_ facts: DoctorFacts.Server?, reason: String) -> [DoctorCheck] {
        guard let facts else {
            return [
                DoctorCheck("default route", .routeNotNeeded, seen: reason),
                DoctorCheck("DNS", .nameNotNeeded, seen: reason),
                DoctorCheck("TCP", .connectionNotTried, seen: reason),
                DoctorCheck("TLS", .encryptionNotTried, seen: reason),
                DoctorCheck("server health", .serverNotAsked, seen: reason),
                DoctorCheck("authorisation", .authorisationNotAsked, seen: reason),
            ]
        }
        return [
            route(facts.route), name(facts.name), connection(facts.connection),
            encryption(facts), health(facts.health), authorisation(facts.authorisation),
        ]
    }

    private static func route(_ facts: DoctorFacts.Route) -> DoctorCheck {
        let name = "default route"
        switch facts {
        case .present(let interfaces):
            return DoctorCheck(
                name, .routePresent, seen: "by \(interfaces.joined(separator: ", "))")
        case .notNeeded:
            return DoctorCheck(name, .routeNotNeeded, seen: "the server is on this machine")
        case .unknown(let reason): return DoctorCheck(name, .routeUnknown, seen: reason)
        case .absent:
            return DoctorCheck(
                name, .routeAbsent, seen: "none",
                action: "bring the network up (modem, Wi-Fi, cable); events wait meanwhile")
        }
    }

    private static func name(_ facts: DoctorFacts.Name) -> DoctorCheck {
        let name = "DNS"
        switch facts {
        case .literal(let host):
            return DoctorCheck(name, .nameNotNeeded, seen: "\(host) is an address")
        case .resolved(let host, let addresses, let milliseconds):
            return DoctorCheck(
                name, .nameResolved,
                seen: "\(host) is \(addresses.prefix(4).joined(separator: ", ")), "
                    + "\(milliseconds) ms")
        case .failed(let host, let reason):
            return DoctorCheck(
                name, .nameNotResolved, seen: "\(host): \(reason)",
                action: "check server.url for a typing error, then the DNS of this network "
                    + "(resolvectl status)")
        case .timedOut(let host, let seconds):
            return DoctorCheck(
                name, .nameTimedOut, seen: "\(host): no answer within \(seconds) s",
                action: "check the DNS of this network (resolvectl status)")
        }
    }

    private static func connection(_ facts: DoctorFacts.Connection) -> DoctorCheck {
        let name = "TCP"
        switch facts {
        case .connected(let address, let milliseconds):
            return DoctorCheck(name, .connected, seen: "\(address), \(milliseconds) ms")
        case .refused(let address):
            return DoctorCheck(
                name, .connectionRefused, seen: "\(address): connection refused",
                action: "start the server, or correct the port in server.url")
        case .timedOut(let address, let milliseconds):
            return DoctorCheck(
                name, .connectionTimedOut,
                seen: "\(address): no answer within \(Double(milliseconds) / 1000) s",
                action: "a firewall or the provider drops the packets: ask for this address "
                    + "and port to be opened")
        case .failed(let address, let reason):
            return DoctorCheck(
                name, .connectionFailed, seen: "\(address): \(reason)",
                action: "check route and firewall between this device and the server")
        case .notTried(let reason): return DoctorCheck(name, .connectionNotTried, seen: reason)
        }
    }

    private static func encryption(_ facts: DoctorFacts.Server) -> DoctorCheck {
        let name = "TLS"
        guard facts.isEncrypted else {
            return DoctorCheck(
                name, .encryptionNotNeeded, seen: "http, and the server is on this machine")
        }
        switch facts.health {
        case .answered:
            return DoctorCheck(name, .encrypted, seen: "the certificate is trusted")
        case .failed(.tlsFailed, let reason):
            return DoctorCheck(
                name, .encryptionFailed, seen: reason,
                action: "check the certificate's name, dates and authority; a private authority "
                    + "goes to server.ca_file")
        case .failed(.clockUnsynchronised, let reason):
            return DoctorCheck(
                name, .encryptionClock, seen: reason,
                action: "the clock is wrong, not the certificate: wait for GNSS or NTP")
        case .failed(_, let reason): return DoctorCheck(name, .encryptionNotTried, seen: reason)
        case .notTried(let reason): return DoctorCheck(name, .encryptionNotTried, seen: reason)
        }
    }

    private static func health(_ facts: DoctorFacts.Answer) -> DoctorCheck {
        let name = "server health"
        switch facts {
        case .answered(200, isJSON: true, _, let milliseconds):
            return DoctorCheck(name, .serverHealthy, seen: "HTTP 200, \(milliseconds) ms")
        case .answered(let status, _, _, _) where status >= 500:
            return DoctorCheck(
                name, .serverBusy, seen: "HTTP \(status)",
                action: "the server is in trouble: look at its log; events wait meanwhile")
        case .answered(let status, _, _, _) where [404, 405, 410].contains(status):
            return DoctorCheck(
                name, .serverWrongAddress, seen: "HTTP \(status) at /v1/healthz",
                action: "correct the path or port in server.url")
        case .answered(let status, let isJSON, _, _):
            return DoctorCheck(
                name, .serverNotOurs,
                seen: "HTTP \(status)\(isJSON ? "" : ", no JSON"): somebody else answers",
                action: "sign in to the network's portal, or correct server.url")
        case .failed(let state, let reason) where state == .tlsFailed:
            return DoctorCheck(name, .serverNotAsked, seen: reason)
        case .failed(_, let reason):
            return DoctorCheck(
                name, .serverSilent, seen: reason,
                action: "the port is open and nobody answers there: look at the server's log")
        case .notTried(let reason): return DoctorCheck(name, .serverNotAsked, seen: reason)
        }
    }

    private static func authorisation(_ facts: DoctorFacts.Answer) -> DoctorCheck {
        let name = "authorisation"
        switch facts {
        case .answered(200, isJSON: true, _, _):
            return DoctorCheck(name, .authorised, seen: "the server knows this key")
        case .answered(401, _, let code, _):
            return DoctorCheck(
                name, .keyRefused, seen: "HTTP 401" + (code.map { ": \($0)" } ?? ""),
                action: "issue a key ('geofence-server keys issue') and write it to the key file")
        case .answered(403, _, let code, _):
            return DoctorCheck(
                name, .keyForbidden, seen: "HTTP 403" + (code.map { ": \($0)" } ?? ""),
                action: "use a device key of this workspace, bound to this device.id or to none")
        case .answered(let status, _, let code, _):
            return DoctorCheck(
                name, .authorisationUnclear,
                seen: "HTTP \(status)" + (code.map { ": \($0)" } ?? ""),
                action: "look at the server's log")
        case .failed(_, let reason):
            return DoctorCheck(
                name, .authorisationUnclear, seen: reason, action: "look at the server's log")
        case .notTried(let reason):
            return DoctorCheck(name, .authorisationNotAsked, seen: reason)
        }
    }
}
