import Positioning
import WireFormat

/// What the agent tells programs on the device, as it happens.
public enum LocalEvent: Sendable {
    /// A committed event.
    case event(WireEvent)
    /// Somebody is to be told of the event before it.
    case notification(ShownNotification)
    /// A fix and the quality gate's verdict on it.
    case fix(FixReport)
    case health(SourceHealth)
    /// A region entered the monitored set.
    case registered(fenceID: String)
    /// A region left the monitored set.
    case unregistered(fenceID: String)
    /// The check-in state has changed.
    case checkIn(CheckIn)
    /// The listener was too far behind; nothing comes after this.
    case lost
    /// Something that a person should know, with a stable code.
    case error(code: String, message: String)
}
