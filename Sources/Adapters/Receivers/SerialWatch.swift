import Positioning
import Timekeeping

/// Judges an open serial port by what comes from it: what to do, and how it is. Pure.
struct SerialWatch {
    /// Silence after which the port is closed and opened again.
    static let reopenMilliseconds: Int64 = 15_000
    /// Silence after which it is told; of a receiver that pauses for long, twice its pause.
    static let silenceMilliseconds: Int64 = 5000
    /// At the latest it is told before the port is opened again.
    static let longestSilenceMilliseconds: Int64 = 14_000
    /// Noise at a port without a speed of its own after which another port is tried.
    static let noiseMilliseconds: Int64 = 20_000
    /// Good checksums without an epoch after which it is told what is missing.
    static let checksumsWithoutEpoch = 10

    enum Action: Hashable {
        case setSpeed(Int)
        /// The speed is proven.
        case keepSpeed(Int)
        /// Close the port and open it again.
        case reopen
        /// What is at this port is no receiver: close it and try another one.
        case giveUp
    }

    /// What there is to tell, without the words.
    enum Condition: Hashable {
        case opening
        case silent(seconds: Int)
        /// Bytes, but no sentence; whether every speed was tried.
        case noise(allSpeedsTried: Bool)
        /// UBX or RTCM3 frames, but no sentence.
        case binaryOnly
        /// Sentences, but none that says where or when.
        case noPositionSentences
        case noFix(hasTime: Bool, bestSignal: Int?, satellitesInView: Int?)
        case fix

        var state: SourceHealth.State {
            switch self {
            case .opening: .opening
            case .silent: .noData
            case .noise: .wrongBaud
            case .binaryOnly, .noPositionSentences, .noFix: .noFix
            case .fix: .fix
            }
        }
    }

    private var hunt: BaudHunt?
    private let openedAt: Uptime
    private var lastByte: Uptime
    /// Since when nothing has come from this port, over reopenings; nil: something has.
    private let silentSince: Uptime?
    private let hasAlternatives: Bool
    /// About the longest pause between bytes of late, milliseconds.
    private var pause: Int64 = 0
    private var bytes = 0
    private var sentences = 0
    private var frames = 0
    private var lastFix: Fix?

    /// `hunt` is nil for a port without a speed; `silentSince` is since when the port is silent if
    /// it was opened again for that; `hasAlternatives` allows to give the port up.
    init(
        openedAt uptime: Uptime, hunt: BaudHunt?, silentSince: Uptime? = nil,
        hasAlternatives: Bool = false
    ) {
        openedAt = uptime
        lastByte = uptime
        self.hunt = hunt
        self.silentSince = silentSince
        self.hasAlternatives = hasAlternatives
    }

    /// Since when nothing has come; the time of opening, or of the opening before it.
    var quietSince: Uptime { bytes == 0 ? silentSince ?? openedAt : lastByte }

    /// Whether anything that a receiver sends was understood since the port was opened.
    var hasHeardReceiver: Bool { sentences > 0 || frames > 0 }

    /// What was received, and how many good sentences and binary frames it completed.
    mutating func note(bytes: Int, sentences: Int, frames: Int, at uptime: Uptime) {
        if self.bytes > 0 {
            pause = max(uptime.milliseconds - lastByte.milliseconds, pause - pause / 4)
        }
        self.bytes += bytes
        self.sentences += sentences
        self.frames += frames
        lastByte = uptime
        hunt?.note(bytes: bytes, checksums: sentences + frames, at: uptime)
    }

    /// An epoch was decoded.
    mutating func note(_ fix: Fix) {
        lastFix = fix
    }

    /// What to do now, if anything.
    mutating func decide(at uptime: Uptime) -> Action? {
        if uptime >= lastByte.advanced(byMilliseconds: Self.reopenMilliseconds) { return .reopen }
        if isHopeless(at: uptime) { return .giveUp }
        switch hunt?.decide(at: uptime) {
        case .change(let speed): return .setSpeed(speed)
        case .lock(let speed): return .keepSpeed(speed)
        case .stay, nil: return nil
        }
    }

    /// Whether all speeds gave noise, and there is another port to try.
    private func isHopeless(at uptime: Uptime) -> Bool {
        guard hasAlternatives, !hasHeardReceiver, bytes > 0 else { return false }
        if let hunt { return hunt.rounds > 0 }
        return uptime.milliseconds - openedAt.milliseconds >= Self.noiseMilliseconds
    }

    /// When to look again at the latest, if no bytes come.
    func deadline(after uptime: Uptime) -> Uptime {
        let reopening = lastByte.advanced(byMilliseconds: Self.reopenMilliseconds)
        // Once a second, since the seconds of silence are told.
        return [reopening, hunt?.deadline ?? reopening, uptime.advanced(byMilliseconds: 1000)]
            .min() ?? reopening
    }

    /// How the port is.
    func condition(at uptime: Uptime) -> Condition {
        let silence = uptime.milliseconds - lastByte.milliseconds
        if bytes == 0, let silentSince {
            let seconds = (uptime.milliseconds - silentSince.milliseconds) / 1000
            return .silent(seconds: Int(seconds))
        }
        let patience = min(
            max(Self.silenceMilliseconds, 2 * pause), Self.longestSilenceMilliseconds)
        if silence >= patience { return .silent(seconds: Int(silence / 1000)) }
        if bytes == 0 { return .opening }
        if let lastFix {
            guard lastFix.coordinate == nil else { return .fix }
            return .noFix(
                hasTime: lastFix.time != nil, bestSignal: lastFix.bestSignal,
                satellitesInView: lastFix.satellitesInView)
        }
        if sentences >= Self.checksumsWithoutEpoch { return .noPositionSentences }
        if sentences == 0, frames >= BaudHunt.checksumsUntilLocked { return .binaryOnly }
        let listened = uptime.milliseconds - openedAt.milliseconds
        guard !hasHeardReceiver, listened >= BaudHunt.dwellMilliseconds else { return .opening }
        return .noise(allSpeedsTried: (hunt?.rounds ?? 1) > 0)
    }
}
