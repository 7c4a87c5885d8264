import AgentStorage
import Delivery
import GeofenceAgent
import Glibc
import LinuxSystem
import WireFormat

/// Looks at the state directory and the queue in it, and leaves no trace there.
struct StorageProbe {
    var directory: String

    /// For all fsyncs together, and for the reading of the queue.
    private static let patienceMilliseconds: Int64 = 4000
    private static let syncCount = 100

    func storage() -> DoctorFacts.Storage {
        let space = DiskProbe.space(of: directory).map {
            DoctorFacts.Storage.Space(
                freeBytes: $0.freeBytes, totalBytes: $0.totalBytes, freeFiles: $0.freeFiles)
        }
        let access = access()
        let obstacle: String
        switch access {
        case .missing(let reason), .notWritable(let reason): obstacle = reason
        case .writable: obstacle = ""
        }
        guard obstacle.isEmpty else {
            return DoctorFacts.Storage(
                directory: directory, access: access, space: space,
                sync: .skipped(reason: "\(directory): \(obstacle)"), strangers: strangers)
        }
        return DoctorFacts.Storage(
            directory: directory, access: access, space: space, sync: sync(),
            strangers: strangers)
    }

    /// Looked for by owner: what root can open says nothing of the agent.
    private var strangers: DoctorFacts.Storage.Strangers? {
        guard let found = StateOwnership(of: directory) else { return nil }
        return DoctorFacts.Storage.Strangers(
            owner: FileAccess.userName(of: found.user),
            files: found.strangers.map { "\($0.path) of \(FileAccess.userName(of: $0.user))" })
    }

    private func access() -> DoctorFacts.Storage.Access {
        do throws(SystemError) {
            let found = try FileAccess.of(directory)
            guard found.kind == .directory else { return .notWritable(reason: "not a directory") }
            if let refusal = found.writeRefusal { return .notWritable(reason: refusal) }
            return .writable(mode: found.modeText, isPrivate: found.mode & 0o077 == 0)
        } catch {
            return .missing(reason: error.reason)
        }
    }

    private func sync() -> DoctorFacts.Storage.Sync {
        do throws(SystemError) {
            let times = try DiskProbe.syncTimes(
                in: directory, count: Self.syncCount, within: Self.patienceMilliseconds)
            let rank = (times.count * 99 + 99) / 100
            return .measured(p99Milliseconds: times[max(0, rank - 1)], count: times.count)
        } catch {
            let hasNone = [EOPNOTSUPP, EISDIR, EINVAL].contains(error.code)
            return hasNone
                ? .skipped(
                    reason: "the file system of \(directory) has no unnamed files (O_TMPFILE)")
                : .failed(reason: error.reason)
        }
    }

    func queue() -> DoctorFacts.Queue {
        let path = "\(directory)/queue.db"
        switch FileExistence.of(path) {
        case .absent: return .absent(path: path)
        case .unknown(let reason): return .unreadable(path: path, reason: reason)
        case .present: break
        }
        let reader: SQLiteQueueReader
        do throws(QueueError) {
            reader = try SQLiteQueueReader(directory: directory, isTraceless: true)
        } catch {
            if case .newerVersion = error {
                return .newer(path: path, reason: error.description)
            }
            return unreadable(path, error)
        }
        return read(reader, path)
    }

    /// Whether the file is damaged, or its log needs a writer first.
    private func unreadable(_ path: String, _ error: QueueError) -> DoctorFacts.Queue {
        let hasLog = (try? FileAccess.of(path + "-wal")) != nil
        let hasIndex = (try? FileAccess.of(path + "-shm")) != nil
        if hasLog, !hasIndex {
            return .skipped(
                path: path, reason: "its log has lost its index; the agent makes it when it starts")
        }
        guard (try? FileAccess.of(path).isReadable) == true else {
            return .unreadable(path: path, reason: "no permission to read it")
        }
        return .read(
            path: path, defects: ["\(error)"], miscounts: [], counts: "not known", dead: 0)
    }

    /// How many positions the device keeps for itself; empty: it never did.
    private var positions: String {
        guard BreadcrumbReader.exists(in: directory) else { return "" }
        let reader = try? BreadcrumbReader(directory: directory, isTraceless: true)
        guard let count = (try? reader?.count()) ?? nil else { return ", positions unreadable" }
        return ", \(count) positions"
    }

    private func read(_ reader: SQLiteQueueReader, _ path: String) -> DoctorFacts.Queue {
        let interrupter = reader.interrupter
        let isDone = try? WakeEvent()
        let guardian = try? DedicatedThread(name: "patience") {
            if isDone?.wait(milliseconds: Int(Self.patienceMilliseconds)) != true {
                interrupter.interrupt()
            }
        }
        defer {
            isDone?.signal()
            guardian?.join(milliseconds: 1000)
        }
        do throws(QueueError) {
            let counts = try reader.counts()
            let (defects, miscounts) = try reader.examination()
            return .read(
                path: path, defects: defects, miscounts: miscounts,
                counts: "\(counts.enqueued) enqueued, \(counts.acknowledged) acknowledged, "
                    + "\(counts.pending) pending, \(counts.dead) dead, "
                    + "\(counts.evicted) evicted" + positions, dead: counts.dead)
        } catch {
            if Array("\(error)".utf8).holds("interrupted") {
                return .skipped(
                    path: path,
                    reason: "too large to be checked within "
                        + "\(Self.patienceMilliseconds / 1000) s")
            }
            return .read(
                path: path, defects: ["\(error)"], miscounts: [], counts: "not known", dead: 0)
        }
    }
}

/// Whether a file is there, as far as this user can tell.
private enum FileExistence {
    case present, absent
    case unknown(reason: String)

    static func of(_ path: String) -> FileExistence {
        do throws(SystemError) {
            _ = try FileAccess.of(path)
            return .present
        } catch {
            return error.code == ENOENT ? .absent : .unknown(reason: error.reason)
        }
    }
}
