/// What the writing thread of a `RecordingFolder` does, until the folder is closed.
struct RecordingWriterLoop: ~Copyable {
    var files: RecordingFiles
    let folder: RecordingFolder
    let onStop: @Sendable (String) -> Void
    private let time = SystemTimekeeper()
    private var isStopped = false

    init(
        files: consuming RecordingFiles, folder: RecordingFolder,
        onStop: @escaping @Sendable (String) -> Void
    ) {
        self.files = files
        self.folder = folder
        self.onStop = onStop
    }

    mutating func run() {
        while true {
            folder.wait()
            let (chunks, isClosing) = folder.take()
            if !isStopped { write(chunks, isLast: isClosing) }
            files.expire(at: time.uptime.milliseconds)
            if isClosing { return }
        }
    }

    private mutating func write(_ chunks: [RecordingFolder.Chunk], isLast: Bool) {
        do throws(SystemError) {
            for chunk in chunks { try files.write(chunk.lines, startsPart: chunk.startsPart) }
            try files.synchronise(at: MonotonicClock.milliseconds, always: isLast)
        } catch {
            isStopped = true
            files.close()
            folder.stop("\(error)")
            onStop("\(error)")
        }
    }
}
