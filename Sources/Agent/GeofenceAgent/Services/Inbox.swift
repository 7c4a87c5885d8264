import Positioning
import Synchronization

/// What the receiver's thread hands to the control loop: bounded, and nobody ever waits to put.
final class Inbox: Sendable {
    /// Epochs and chunks of bytes that may wait: over a minute at 1 Hz.
    static let limit = 512
    /// What is rare and must not be lost, health and openings, finds room behind them.
    static let reserve = 64

    /// What has come since the last time.
    struct Delivery: Sendable {
        var events: [SourceEvent] = []
        /// Input for which there was no room.
        var dropped = 0

        var isEmpty: Bool { events.isEmpty && dropped == 0 }
    }

    private let waiting = Mutex(Delivery())

    /// Puts an event in; one that finds no room is counted. True when nothing had been waiting: then
    /// the control loop has to be told.
    func put(_ event: SourceEvent) -> Bool {
        waiting.withLock { waiting in
            defer {
                if waiting.events.count < Self.room(for: event) {
                    waiting.events.append(event)
                } else {
                    waiting.dropped += 1
                }
            }
            return waiting.isEmpty
        }
    }

    /// Everything that waits.
    func take() -> Delivery {
        waiting.withLock { waiting in
            defer { waiting = Delivery() }
            return waiting
        }
    }

    private static func room(for event: SourceEvent) -> Int {
        switch event {
        case .fix, .received, .report: limit
        case .health, .opened: limit + reserve
        }
    }
}
