import Timekeeping

/// Events that were refused on their own, by an answer that does not say whether the event or the
/// request around it is wrong. They are given up once the server has accepted another event since,
/// so that a server, or a proxy, that refuses everything costs no event.
struct Suspects: Hashable, Sendable {
    private var held: [Int64: Held] = [:]

    private struct Held: Hashable, Sendable {
        var event: String
        var code: String
        var until: Uptime
    }

    var keys: Set<Int64> { Set(held.keys) }
    var earliest: Uptime? { held.values.map(\.until).min() }

    mutating func hold(_ event: QueuedEvent, code: String, at now: Uptime) {
        guard held.count < UploadPolicy.suspectLimit || held[event.key] != nil else { return }
        held[event.key] = Held(
            event: event.clientEventID, code: code,
            until: now.advanced(bySeconds: UploadPolicy.suspectSeconds))
    }

    /// The server has accepted another event.
    mutating func giveUp() -> [Settlement] {
        defer { held.removeAll() }
        return held.sorted { $0.key < $1.key }
            .map {
                Settlement(
                    key: $0.key, clientEventID: $0.value.event, fate: .dead(code: $0.value.code))
            }
    }

    mutating func expire(at now: Uptime) {
        guard let earliest, earliest <= now else { return }
        held = held.filter { $0.value.until > now }
    }
}
