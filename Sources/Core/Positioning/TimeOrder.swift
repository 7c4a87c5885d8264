import Snapshots
import Timekeeping

/// Refuses epochs whose time does not advance: repeated, reordered, or stamped weeks ago.
///
/// Only trusted times can be ordered, since an untrusted clock may be set right at any moment; an
/// equal time is the same epoch in any case. A trusted clock that went wrong must not lock the
/// gate for ever: when nothing was accepted for a while and the new times advance among
/// themselves, they are the time from then on.
struct TimeOrder: Hashable, Sendable {
    private var last: Stamp?
    private var refused: Stamp?

    fileprivate struct Stamp: Hashable {
        var time: UTCTime
        var isTrusted: Bool
        var uptime: Uptime
    }

    mutating func isStale(_ fix: Fix, lockoutMaxSeconds: Double) -> Bool {
        guard let time = fix.time, let last else { return false }
        let bothTrusted = fix.isTimeTrusted && last.isTrusted
        guard time == last.time || (bothTrusted && time < last.time) else { return false }
        let stamp = Stamp(time: time, isTrusted: fix.isTimeTrusted, uptime: fix.uptime)
        if time != last.time, let refused, time > refused.time,
            fix.uptime.seconds(since: last.uptime) > lockoutMaxSeconds
        {
            return false
        }
        refused = stamp
        return true
    }

    /// Takes in an accepted epoch.
    mutating func advance(to fix: Fix) {
        guard let time = fix.time else { return }
        last = Stamp(time: time, isTrusted: fix.isTimeTrusted, uptime: fix.uptime)
        refused = nil
    }
}

extension TimeOrder: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(last)
        snapshot.write(refused)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        last = try snapshot.read()
        refused = try snapshot.read()
    }
}

extension TimeOrder.Stamp: Snapshotted {
    func write(to snapshot: inout SnapshotWriter) {
        snapshot.write(time)
        snapshot.write(isTrusted)
        snapshot.write(uptime)
    }

    init(from snapshot: inout SnapshotReader) throws(SnapshotError) {
        self.init(
            time: try snapshot.read(), isTrusted: try snapshot.read(), uptime: try snapshot.read())
    }
}
