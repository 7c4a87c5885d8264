/// A receiver of gpsd, from a DEVICE or DEVICES report (gpsd_json(5)).
public struct GPSDDevice: Hashable, Sendable {
    public var path: String
    public var activation: Activation

    public enum Activation: Hashable, Sendable {
        /// gpsd has it open.
        case active
        /// gpsd says that it closed it.
        case closed
        /// gpsd does not say that it opened it.
        case unknown
    }

    /// Nil where a member has the wrong type, or the path is missing.
    init?(_ members: inout GPSDMembers) {
        let path = members.text("path")
        guard !members.isMalformed, let path, !path.isEmpty else { return nil }
        self.path = path
        // A time since which it is open, or 0: a string, or a number in older releases.
        switch members.bytes("activated") {
        case nil: activation = .unknown
        case let value? where GPSDMembers.equals(value, "0") || GPSDMembers.equals(value, "null"):
            activation = .closed
        case let value?:
            let never = GPSDMembers.equals(value, "\"1970-01-01T00:00:00.000Z\"")
            activation = never ? .closed : .active
        }
    }
}
