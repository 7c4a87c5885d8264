import Delivery
import Timekeeping

/// How the server was found, for `status`.
public struct UploadStatus: Sendable {
    /// Nil before the first answer.
    public var connectivity: ConnectivityState?
    /// The last failure in a sentence; nil after a success.
    public var reason: String?
    /// `reason`, or that events which the server refused wait for another offer.
    public var waitingReason: String?
    /// Why the server put off events of the last receipt; nil: it did not.
    public var deferralReason: String?
    /// Failures since the last success.
    public var failures: Int
    /// When `connectivity` was found; nil before the first answer.
    public var checkedAt: Uptime?
    /// Nil: none since the start.
    public var lastReceipt: Uptime?
    /// Requests that ended since the start.
    public var requestCount = 0
    /// No request before then; nil: the uploader is at work, or has nothing to send.
    public var waitsUntil: Uptime?
}
