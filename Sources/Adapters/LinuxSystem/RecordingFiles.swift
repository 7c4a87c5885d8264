import Glibc

/// The files of a recording folder, as its thread has them: `000042-0001.rec.ndjson` is the
/// first part of the forty-second run. Numbers, unlike times, are right on a machine without a clock.
struct RecordingFiles: ~Copyable, Sendable {
    static let suffix = ".rec.ndjson"
    /// How often files are looked at for their age, milliseconds.
    static let expiryMilliseconds: Int64 = 3_600_000
    /// Wall clocks before it are not set yet, seconds: 2025-01-01.
    static let earliestClock: Int64 = 1_735_689_600

    private let path: String
    private let limits: RecordingFolder.Limits
    private let run: Int
    private var part = 0
    private var file: FileDescriptor?
    private var fileName: String?
    /// Bytes of the other files.
    private var otherBytes: Int64 = 0
    private var fileBytes: Int64 = 0
    private var dirtySince: Int64?
    private var lastExpiry: Int64?
    /// When this process wrote last to each file, uptime in milliseconds.
    private var written: [String: Int64] = [:]

    init(_ path: String, run: Int, limits: RecordingFolder.Limits) {
        self.path = path
        self.run = run
        self.limits = limits
    }

    /// Makes the folder where it is missing, and finds the number of the next run.
    static func prepare(_ path: String) throws(SystemError) -> Int {
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw .last("mkdir", path) }
        return (try names(in: path).compactMap(run(of:)).max() ?? 0) + 1
    }

    /// Whether the folder holds recordings.
    static func exist(in path: String) -> Bool {
        ((try? names(in: path)) ?? []).isEmpty == false
    }

    /// Appends lines, to a new file where a part starts.
    mutating func write(_ lines: [UInt8], startsPart: Bool) throws(SystemError) {
        if startsPart { try begin() }
        guard let fileName, file != nil else { return }
        try checkRoom(for: lines.count)
        do throws(SystemError) {
            try file?.writeAll(lines)
        } catch {
            throw SystemError("write", "\(path)/\(fileName)", code: error.code)
        }
        written[fileName] = SystemTimekeeper().uptime.milliseconds
        fileBytes += Int64(lines.count)
        if dirtySince == nil { dirtySince = MonotonicClock.milliseconds }
        // A part without its header says nothing after a power cut.
        if startsPart { try synchroniseFile() }
        if otherBytes + fileBytes > limits.maxBytes { trim(toFit: 0) }
    }

    /// Whether everything that was written is on the disk.
    var isDurable: Bool { dirtySince == nil }

    /// Makes what was written durable, where that is due.
    mutating func synchronise(at now: Int64, always: Bool) throws(SystemError) {
        guard let dirtySince else { return }
        // The next look is up to a second away.
        guard always || now - dirtySince >= limits.syncMilliseconds - 1000 else { return }
        try synchroniseFile()
    }

    /// Deletes files that are too old, once an hour: also the open one, to which nothing was written
    /// for so long that whoever writes begins the next one first. `now` is an uptime in milliseconds
    /// that also counts while the machine sleeps, `clock` the wall clock in seconds.
    mutating func expire(at now: Int64, clock: Int64 = Int64(time(nil))) {
        if let lastExpiry, now - lastExpiry < Self.expiryMilliseconds { return }
        lastExpiry = now
        for name in (try? Self.names(in: path)) ?? [] {
            guard age(of: name, at: now, clock: clock) > limits.maxFileAgeSeconds else { continue }
            unlink("\(path)/\(name)")
            written[name] = nil
            if name == fileName { close() }
        }
        otherBytes = bytesOfOthers()
    }

    /// Seconds since the last line of a file. Those of this process are known by uptime, also while
    /// the clock is not set; those of others by their time, if the clock can be right.
    private func age(of name: String, at now: Int64, clock: Int64) -> Int64 {
        let own = written[name].map { max(0, now - $0) / 1000 }
        let file = "\(path)/\(name)"
        var status = stat()
        guard stat(file, &status) == 0, clock > Self.earliestClock else { return own ?? 0 }
        let modified = Int64(status.st_mtim.tv_sec)
        if modified >= Self.earliestClock, modified <= clock {
            return max(own ?? 0, clock - modified)
        }
        // Written before the clock was set, or while it ran ahead: its age counts from now.
        var times = [timeval](
            repeating: timeval(tv_sec: Int(clock - (own ?? 0)), tv_usec: 0), count: 2)
        utimes(file, &times)
        return own ?? 0
    }

    /// Ends the open file.
    mutating func close() {
        file = nil
        fileName = nil
    }

    // MARK: Parts

    private mutating func begin() throws(SystemError) {
        try synchroniseFile()
        file = nil
        part += 1
        let name = Self.digits(run, 6) + "-" + Self.digits(part, 4) + Self.suffix
        fileName = name
        fileBytes = 0
        trim(toFit: Int64(limits.partBytes))
        let opened = try FileDescriptor.open(
            "\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_APPEND, mode: 0o600)
        guard fchmod(opened.number, 0o600) == 0 else { throw .last("fchmod", path) }
        file = consume opened
        synchroniseFolder()
    }

    /// Deletes the oldest files until so many bytes more fit.
    private mutating func trim(toFit bytes: Int64) {
        var names = ((try? Self.names(in: path)) ?? []).filter { $0 != fileName }.sorted()
        otherBytes = bytesOfOthers()
        while !names.isEmpty, otherBytes + fileBytes + bytes > limits.maxBytes {
            let oldest = names.removeFirst()
            unlink("\(path)/\(oldest)")
            written[oldest] = nil
            otherBytes = bytesOfOthers()
        }
    }

    private func bytesOfOthers() -> Int64 {
        ((try? Self.names(in: path)) ?? []).reduce(0) { sum, name in
            var status = stat()
            guard name != fileName, stat("\(path)/\(name)", &status) == 0 else { return sum }
            return sum + Int64(status.st_size)
        }
    }

    /// A recording is worth less than the events that the same disk has to take.
    private func checkRoom(for bytes: Int) throws(SystemError) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return }
        let block = Double(status.f_frsize)
        let reserve = min(
            Double(limits.reserveBytes), Double(status.f_blocks) * block * limits.reservePart)
        guard Double(status.f_bavail) * block - Double(bytes) < reserve else { return }
        throw SystemError("write", path, code: ENOSPC)
    }

    private mutating func synchroniseFile() throws(SystemError) {
        if dirtySince != nil, let number = file?.number, fdatasync(number) != 0 {
            throw .last("fdatasync", path)
        }
        dirtySince = nil
    }

    private func synchroniseFolder() {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        Glibc.close(descriptor)
    }

    private static func names(in path: String) throws(SystemError) -> [String] {
        try FolderListing.names(in: path).filter { run(of: $0) != nil }
    }

    /// The run's number; nil for a file that is no recording of ours.
    private static func run(of name: String) -> Int? {
        guard name.hasSuffix(suffix) else { return nil }
        let parts = name.dropLast(suffix.count).split(separator: "-")
        guard parts.count == 2, Int(parts[1]) != nil else { return nil }
        return Int(parts[0])
    }

    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
