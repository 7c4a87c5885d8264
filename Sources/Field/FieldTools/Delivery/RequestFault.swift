import Delivery

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
}
