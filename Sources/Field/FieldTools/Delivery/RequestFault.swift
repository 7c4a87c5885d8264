import Delivery
import Simulation

/// What can become of one request, apart from what the server thinks of it.
enum RequestFault: String, CaseIterable {
    // Nothing reaches the server.
    case noRoute, noName, connectionRefused, badCertificate, requestLost
    /// Somebody else answers.
    case falseReceipt, portal
    // The server is reached, and nothing is kept.
    case serverEndsBeforeCommit, busy, busyForLong, tooLarge, refusedWhole, keyRefused, elsewhere
    case deferred
    // The events are kept, and the agent hears less than that, or later.
    case answerLost, serverEndsAfterCommit, requestDelayed, halfAnswer
    case cancelled

    /// After which the next try has nothing to wait for but the backoff.
    static let passing: [RequestFault] = [
        .noName, .connectionRefused, .requestLost, .falseReceipt, .portal,
        .serverEndsBeforeCommit, .busy, .tooLarge, .deferred, .answerLost, .serverEndsAfterCommit,
        .requestDelayed, .halfAnswer, .cancelled,
    ]

    /// That may go on for a day.
    static let lasting: [RequestFault] = [
        .noName, .connectionRefused, .requestLost, .falseReceipt, .portal, .busy, .answerLost,
    ]

    /// Seconds until the agent knows of it.
    var seconds: Range<Double> {
        switch self {
        case .noRoute, .connectionRefused, .cancelled: 0.001..<0.1
        case .noName, .badCertificate: 0.05..<8
        case .requestLost, .answerLost, .requestDelayed: 15..<30
        default: 0.05..<0.6
        }
    }

    /// How the server is while it answers this one request; nil: as it is.
    func mood(_ random: inout SeededGenerator) -> SimulatedServer.Mood? {
        switch self {
        case .busy:
            .busy(
                status: DeliveryClimate.pick([408, 425, 429, 500, 502, 503, 504], &random),
                retryAfterSeconds: DeliveryClimate.pick([nil, nil, 0, 5, 20], &random))
        case .busyForLong:
            .busy(
                status: DeliveryClimate.pick([429, 503], &random),
                retryAfterSeconds: DeliveryClimate.pick([120, 900, 100_000], &random))
        case .tooLarge: .busy(status: 413, retryAfterSeconds: nil)
        case .refusedWhole: .refusesAll(status: DeliveryClimate.pick([400, 422], &random))
        case .keyRefused: .refusesKey(status: DeliveryClimate.pick([401, 403], &random))
        case .elsewhere:
            .isElsewhere(status: DeliveryClimate.pick([404, 405, 410, 415, 426], &random))
        case .deferred: .defers(seconds: DeliveryClimate.pick([nil, 1, 40, 200], &random))
        default: nil
        }
    }
}
