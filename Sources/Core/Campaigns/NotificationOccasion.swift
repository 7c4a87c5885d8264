import Geofencing

/// A transition that somebody might be told of.
public struct NotificationOccasion: Hashable, Sendable {
    public var fenceID: String
    public var kind: Transition.Kind
    public var occurred: Moment
    /// The fix that confirmed it; occasions of one fix compete with each other.
    public var detected: Moment
    /// False for a start inside that the fence does not want told.
    public var mayNotify: Bool
    /// A raw value of `Transition.Reason`; nil: a plain crossing.
    public var reason: String?

    public init(
        fenceID: String, kind: Transition.Kind, occurred: Moment, detected: Moment,
        mayNotify: Bool = true, reason: String? = nil
    ) {
        self.fenceID = fenceID
        self.kind = kind
        self.occurred = occurred
        self.detected = detected
        self.mayNotify = mayNotify
        self.reason = reason
    }
}
