import AgentStorage

extension EmbeddedAgent {
    /// How long a start may take that reads the whole queue first, as after a crash, or salvages it;
    /// seconds. Nil where it is so small that no start takes long.
    public var longStartSeconds: Int64? {
        let bytes = SQLiteQueueReader.bytes(in: paths.stateDirectory)
        guard bytes > Self.shortStartBytes else { return nil }
        return Self.leastSeconds + bytes / Self.bytesPerSecond
    }

    /// Half of the default limit of the queue: the service's own 60 s are enough for that.
    private static let shortStartBytes: Int64 = 33_554_432
    private static let leastSeconds: Int64 = 60
    /// Of a slow card that something else uses, too; the file is read up to three times.
    private static let bytesPerSecond: Int64 = 1_048_576
}
