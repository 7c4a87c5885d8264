import CommandLineTool
import Delivery
import GeofenceAgent
import WireFormat

/// Prints stored events, one a line.
struct StoredEventLines {
    private let queue: StoredQueue
    private let asJSON: Bool
    private var unreadable = 0

    init(_ queue: StoredQueue, asJSON: Bool) {
        self.queue = queue
        self.asJSON = asJSON
    }

    mutating func print(_ event: QueuedEvent, on console: Console) throws {
        guard let report = queue.report(event) else {
            unreadable += 1
            return
        }
        if asJSON {
            try console.print(String(decoding: try WireCoding.encode(report), as: UTF8.self))
        } else {
            try console.print(Self.text(report))
        }
    }

    /// Tells of what could not be shown.
    func finish(on console: Console) {
        guard unreadable > 0 else { return }
        console.note("\(unreadable) stored events cannot be read")
    }

    private static func text(_ report: StoredEventReport) -> String {
        var text = EventText.line(report.event)
        if let answer = report.answer {
            text += "  \(answer)" + (report.reason.map { ": \($0)" } ?? "")
        }
        return text
    }
}
