extension UploadPlanner {
    /// Why events that the server has not refused go later, as far as the last receipt says, in a
    /// sentence; nil: it says nothing.
    public var latenessReason: String? {
        if let deferralReason { return "the server puts events off: \(deferralReason)" }
        return switch omittedCount {
        case 0: nil
        case 1: "the receipt says nothing of 1 event"
        default: "the receipt says nothing of \(omittedCount) events"
        }
    }
}
