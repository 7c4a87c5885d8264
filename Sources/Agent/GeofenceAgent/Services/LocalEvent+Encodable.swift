import Positioning

extension LocalEvent: Encodable {
    private enum CodingKeys: String, CodingKey {
        case kind, state, reason, code, message
        case fenceID = "fence_id"
    }

    /// One flat object whose `kind` tells the rest: event, notification, fix, health, registered,
    /// unregistered, checkin, lost or error.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .event(let event):
            try container.encode("event", forKey: .kind)
            try event.encode(to: encoder)
        case .notification(let notification):
            try container.encode("notification", forKey: .kind)
            try notification.encode(to: encoder)
        case .fix(let report):
            try container.encode("fix", forKey: .kind)
            try report.encode(to: encoder)
        case .health(let health):
            try container.encode("health", forKey: .kind)
            try container.encode(health.state.rawValue, forKey: .state)
            try container.encode(health.reason, forKey: .reason)
        case .registered(let fenceID):
            try container.encode("registered", forKey: .kind)
            try container.encode(fenceID, forKey: .fenceID)
        case .unregistered(let fenceID):
            try container.encode("unregistered", forKey: .kind)
            try container.encode(fenceID, forKey: .fenceID)
        case .checkIn(let checkIn):
            try container.encode("checkin", forKey: .kind)
            try checkIn.encode(to: encoder)
        case .lost:
            try container.encode("lost", forKey: .kind)
            try container.encode(
                "the reader is too slow; connect again to go on", forKey: .message)
        case .error(let code, let message):
            try container.encode("error", forKey: .kind)
            try container.encode(code, forKey: .code)
            try container.encode(message, forKey: .message)
        }
    }
}
