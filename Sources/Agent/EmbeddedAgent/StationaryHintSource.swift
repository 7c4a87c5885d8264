import GeofenceAgent
import Glibc
import LinuxSystem
import Synchronization
import Timekeeping

/// Follows what `stationary_hint` names. Whatever fails here is no hint, and is tried again.
final class StationaryHintSource: Sendable {
    /// Whether the device is told to stay: what is found first, then each change.
    let hints: AsyncStream<Bool>

    private let continuation: AsyncStream<Bool>.Continuation
    private let hint: StationaryHint
    private let loop: PollLoop
    private let log: any LogSink
    private let state = Mutex(State())

    private struct State {
        var file: FileWatch?
        var line: GPIOLine?
        var told: Bool?
        /// Nil while all is well.
        var complaint: String?
        var isClosed = false
    }

    /// Begins to look at once, on the loop's thread.
    init(_ hint: StationaryHint, on loop: PollLoop, log: any LogSink) {
        self.hint = hint
        self.log = log
        self.loop = loop
        (hints, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        loop.perform { [weak self] in self?.open() }
    }

    /// Ends the stream and lets go of file or line.
    func close() {
        state.withLock {
            $0 = State()
            $0.isClosed = true
        }
        continuation.finish()
    }

    // MARK: - On the loop's thread

    private func open() {
        guard !state.withLock({ $0.isClosed }) else { return }
        do throws(SystemError) {
            switch hint {
            case .none: break
            case .file(let path):
                let watch = try FileWatch(path, on: loop) { [weak self] news in
                    switch news {
                    case .changed: self?.look()
                    case .folderGone: self?.openLater("the folder of \(path) is gone")
                    }
                }
                keep { $0.file = watch }
            case .gpio(let chip, let line):
                let watch = try GPIOLine(chip: chip, line: line, on: loop) { [weak self] in
                    self?.look()
                }
                keep { $0.line = watch }
            }
            look()
        } catch {
            openLater("\(error)")
        }
    }

    private func keep(_ change: (inout State) -> Void) {
        state.withLock { if !$0.isClosed { change(&$0) } }
    }

    private func openLater(_ reason: String) {
        keep {
            $0.file = nil
            $0.line = nil
        }
        complain(reason)
        tell(false)
        loop.perform(afterMilliseconds: Self.pauseMilliseconds) { [weak self] in self?.open() }
    }

    private func look() {
        do throws(SystemError) {
            switch hint {
            case .none: break
            case .file(let path): look(at: try FileContents.read(path, limit: Self.fileLimit), path)
            case .gpio:
                if let line = state.withLock({ $0.line }) { tell(try line.isHigh()) }
                complain(nil)
            }
        } catch {
            // A missing file is no hint, and nothing to complain of.
            complain(error.code == ENOENT ? nil : "\(error)")
            tell(false)
        }
    }

    private func look(at contents: [UInt8], _ path: String) {
        let blank: [UInt8] = [9, 10, 13, 32]
        let word = contents.drop(while: blank.contains).prefix { !blank.contains($0) }
        switch word {
        case [UInt8(ascii: "1")]: tell(true)
        case [UInt8(ascii: "0")]: tell(false)
        // Somebody is about to write it.
        case []: return
        default:
            complain("\(path) holds neither 1 nor 0")
            tell(false)
            return
        }
        complain(nil)
    }

    private func tell(_ isStationary: Bool) {
        let isNews = state.withLock { state in
            defer { state.told = isStationary }
            return state.told != isStationary
        }
        if isNews { continuation.yield(isStationary) }
    }

    private func complain(_ reason: String?) {
        let isNews = state.withLock { state in
            defer { state.complaint = reason }
            return state.complaint != reason
        }
        guard isNews, let reason else { return }
        log.write(LogLine(.warning, "stationary_hint \(hint): \(reason); no hint"))
    }

    private static let fileLimit = 4096
    /// Until a folder or a chip that is missing is looked for again.
    private static let pauseMilliseconds = 60_000
}
