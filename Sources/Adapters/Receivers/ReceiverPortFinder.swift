/// The port that the serial source would open first, for those who only want to look at it.
public enum ReceiverPortFinder {
    /// `configured` is nil for `auto`; the answer is nil where nothing was found.
    public static func first(configured: String?) -> String? {
        ReceiverPorts(configured: configured).current
    }
}
