import Delivery
import Glibc
import SQLite
import Timekeeping

/// The positions that a device keeps for itself, in a file beside the queue's.
///
/// Invariants:
/// - The file is the first to give way: no event is evicted, and no ballast given up, while it exists.
/// - Nothing that happens here fails the queue. What cannot be written is lost, counted, and said once.
/// - A damaged file is begun anew. Positions are no evidence; nothing of it is salvaged.
final class BreadcrumbStore {
    private let files: QueueFiles
    private let limits: StorageLimits
    private let log: any LogSink
    /// Nil until there is something to write, or something to count.
    private var file: BreadcrumbFile?
    private(set) var counts = BreadcrumbCounts()
    /// Whether `counts.kept` is what the file holds; an earlier run may have left some.
    private var isCounted = false
    private var hasFailed = false

    init(_ files: QueueFiles, _ limits: StorageLimits, log: any LogSink) {
        self.files = files
        self.limits = limits
        self.log = log
    }

    var isOn: Bool { limits.breadcrumbBytes > 0 }

    /// Writes a group beside a queue of so many bytes.
    func keep(_ group: [Breadcrumb], besides queueBytes: Int64) {
        guard isOn, !group.isEmpty else { return }
        let budget = min(
            limits.breadcrumbBytes,
            Int64(Double(limits.maxBytes) * StorageLimits.evictionStart) - queueBytes)
        guard budget >= Self.leastBytes else {
            _ = discard(because: "the queue needs their room")
            return lose(group, "the queue needs their room")
        }
        guard hasRoom else { return lose(group, "the disk is full") }
        do throws(SQLiteError) {
            let file = try opened()
            counts.dropped += try file.append(group, within: budget)
            try count(file)
            if hasFailed { note(.notice, "positions are kept again") }
            hasFailed = false
        } catch {
            lose(group, error.description)
            recover(from: error)
        }
    }

    /// These cannot be kept now.
    func lose(_ group: [Breadcrumb], _ reason: String) {
        guard isOn else { return }
        counts.lost += Int64(group.count)
        if !hasFailed { note(.warning, "positions are not kept: \(reason)") }
        hasFailed = true
    }

    /// Looks how many an earlier run left.
    func openPresent() {
        guard isOn, file == nil, isPresent, hasRoom else { return }
        do throws(SQLiteError) { try count(opened()) } catch {
            recover(from: error)
        }
    }

    /// Gives room back to a file system that lacks `bytes`; answers whether there was any.
    func giveWay(bytes: Int64) -> Bool {
        guard isPresent else { return false }
        guard files.hasRoomForIndex, let file = try? opened(), let size = try? file.bytes(),
            size - max(bytes, size / 4) >= Self.leastBytes
        else { return discard(because: "the disk is full") }
        do throws(SQLiteError) {
            let dropped = try file.shorten(to: size - max(bytes, size / 4))
            counts.dropped += dropped
            try count(file)
            note(.warning, "\(dropped) positions gave way, the disk is nearly full")
            return dropped > 0
        } catch {
            return discard(because: error.description)
        }
    }

    /// Deletes all of them at once, which needs no room; answers whether there were any.
    func discard(because reason: String) -> Bool {
        file = nil
        if !isCounted { countLeft() }
        let number = isCounted ? "\(counts.kept) " : ""
        guard erase() else { return false }
        note(.warning, "all \(number)positions gave way: \(reason)")
        counts.dropped += counts.kept
        counts.kept = 0
        isCounted = true
        return true
    }

    private func count(_ file: BreadcrumbFile) throws(SQLiteError) {
        counts.kept = try file.count()
        isCounted = true
    }

    /// Counts what an earlier run left, without writing; what cannot be read stays uncounted.
    private func countLeft() {
        guard isPresent,
            let reader = try? BreadcrumbReader(
                directory: files.directory, isTraceless: !files.hasRoomForIndex),
            let kept = try? reader.count()
        else { return }
        counts.kept = kept
        isCounted = true
    }

    /// Deletes what was kept while nothing is to be kept any more.
    func eraseWhereOff() {
        if !isOn, erase() { note(.notice, "the positions that were kept are deleted") }
    }

    func close() {
        file = nil
    }

    private var isPresent: Bool { access(files.positions, F_OK) == 0 }

    private func erase() -> Bool {
        guard unlink(files.positions) == 0 else { return false }
        for suffix in QueueFiles.suffixes { unlink(files.positions + suffix) }
        return true
    }

    /// Whether the disk has room for the log of this file and for everything that comes first.
    private var hasRoom: Bool {
        let ballast = files.hasBallast ? 0 : QueueFiles.roomForBallast(bytes: limits.ballastBytes)
        let claimed = 2 * Int64(StorageLimits.logBytes) + ballast
        return files.bytesAboveReserve().map { $0 >= claimed } ?? true
    }

    private func opened() throws(SQLiteError) -> BreadcrumbFile {
        if let file { return file }
        if !isPresent {
            do throws(QueueError) { try QueueFiles.makeEmptyFile(files.positions) } catch {
                throw SQLiteError(
                    code: .cannotOpen, extendedCode: ResultCode.cannotOpen.rawValue,
                    message: error.description)
            }
        }
        let made = try BreadcrumbFile(path: files.positions)
        file = made
        return made
    }

    /// A file that cannot be used is deleted; what the disk refuses is tried again with the next
    /// group.
    private func recover(from error: SQLiteError) {
        file = nil
        switch QueueOpening.Failure(error) {
        case .damaged, .unavailable(_, isFull: true): _ = discard(because: error.description)
        case .unavailable, .refused: break
        }
    }

    private func note(_ level: LogLevel, _ message: String) {
        log.write(LogLine(level, "breadcrumbs: \(message)"))
    }

    /// With less than this nothing is kept at all.
    private static let leastBytes: Int64 = 131_072
}
