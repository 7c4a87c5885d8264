import Timekeeping

/// What is known of one opened port. Pure.
struct SerialSession {
    /// Under which its speed is remembered.
    let name: String
    let device: String
    var baud: Int?
    /// Whether bytes take the time that the speed says; a USB modem device ignores it.
    let isSpeedReal: Bool
    var watch: SerialWatch
    var rhythm = LineRhythm()
    /// Bytes of the last read.
    private(set) var lastCount = 0
    /// Whether an epoch has begun and is not complete yet.
    var isWaitingForMore = false
    /// Whether bytes of the epoch were read before.
    var isLooking = false

    private var epochBytes = 0
    private var epochReads = 0
    private var lastRead = Uptime(milliseconds: 0)

    init(name: String, device: String, baud: Int?, isSpeedReal: Bool, watch: SerialWatch) {
        self.name = name
        self.device = device
        self.baud = baud
        self.isSpeedReal = isSpeedReal
        self.watch = watch
    }

    /// Bytes were read.
    mutating func noteBytes(_ count: Int, at uptime: Uptime) {
        lastCount = count
        epochBytes += count
        epochReads += 1
        lastRead = uptime
    }

    /// One epoch is complete; `period` is the time between epochs, milliseconds.
    mutating func noteEpoch(period: Int64) {
        let speed = isSpeedReal ? baud ?? 0 : 0
        rhythm.note(
            LineRhythm.Reading(
                end: lastRead, period: period, bytes: epochBytes, hadToWait: epochReads > 1,
                byteMilliseconds: speed > 0 ? 10_000 / Double(speed) : 0))
        epochBytes = 0
        epochReads = 0
    }
}
