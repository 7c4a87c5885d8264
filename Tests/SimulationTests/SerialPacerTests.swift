import Simulation
import Testing

@Suite("Serial pacer")
struct SerialPacerTests {
    @Test(
        "960 bytes a second leave at 9600 baud, however often one looks",
        arguments: [0.001, 0.02, 0.3])
    func rate(step: Double) {
        var pacer = SerialPacer(baud: 9600)
        let bytes = (0..<480).map { UInt8(truncatingIfNeeded: $0) }
        pacer.enqueue(bytes, ready: 10)
        pacer.enqueue(bytes, ready: 11)
        var sent: [UInt8] = []
        var now = 9.9
        while now < 12 {
            sent += pacer.due(at: now)
            let expected = min(480, max(0, (now - 10) * 960)) + min(480, max(0, (now - 11) * 960))
            #expect(abs(Double(sent.count) - expected) <= 1, "at \(now)")
            now += step
        }
        #expect(sent == bytes + bytes)
        #expect(pacer.isEmpty && pacer.droppedCount == 0)
    }

    @Test("an epoch that is not through when the next is ready delays it")
    func backlog() {
        var pacer = SerialPacer(baud: 4800)
        pacer.enqueue([UInt8](repeating: 1, count: 480), ready: 0)
        pacer.enqueue([UInt8](repeating: 2, count: 10), ready: 0.9)
        var sent: [UInt8] = []
        for tick in 0...95 { sent += pacer.due(at: Double(tick) / 100) }
        #expect(!sent.contains(2))
        for tick in 96...110 { sent += pacer.due(at: Double(tick) / 100) }
        #expect(sent.filter { $0 == 2 }.count == 10)
    }

    @Test("after a standstill old bytes are lost, not late")
    func standstill() {
        var pacer = SerialPacer(baud: 9600)
        for second in 0..<20 {
            pacer.enqueue([UInt8](repeating: UInt8(second), count: 400), ready: Double(second))
        }
        let sent = pacer.due(at: 19.4)
        #expect(Set(sent) == [19] && (383...385).contains(sent.count))
        #expect(pacer.droppedCount == 19 * 400)
    }
}
