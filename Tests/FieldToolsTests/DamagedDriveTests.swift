import FieldTools
import Testing

@Suite("A drive over a noisy line")
struct DamagedDriveTests {
    /// A receiver that stands still, a second apart.
    private static func drive(_ count: Int) -> DamagedDrive {
        let lines = (0..<count).flatMap { index -> [UInt8] in
            let second = index % 60
            let time = "10\(10 + index / 60)\(second < 10 ? "0" : "")\(second)"
            let body = "GNRMC,\(time),A,4730.0000,N,01115.0000,E,0.0,90.0,110321,,,A"
            let parity = String(body.utf8.reduce(UInt8(0), ^), radix: 16)
            return Array("$\(body)*\(parity.count == 1 ? "0" : "")\(parity)\r\n".utf8)
        }
        return DamagedDrive(lines)
    }

    @Test("one seed gives one damage, and most fixes survive it")
    func repeatable() {
        let drive = Self.drive(600)
        #expect(drive.fixes == 600)
        for damage in [DamagedDrive.Damage.anotherByte, .flippedBit] {
            let first = drive.run(seed: 5, damage)
            let again = drive.run(seed: 5, damage)
            #expect(first.decoded == again.decoded)
            #expect(first.passed == again.passed)
            #expect(first.decoded < 600)
            #expect(first.passed > 300)
            #expect(first.passed <= first.decoded)
            #expect(drive.run(seed: 6, damage).decoded != first.decoded)
        }
    }

    @Test("positions far off are counted where the decoder gives them, and the gate stops them")
    func farOff() {
        let drive = Self.drive(2000)
        var total = DamagedDrive.Outcome()
        for seed in UInt64(1)...30 { total.add(drive.run(seed: seed, .flippedBit)) }
        #expect(total.decodedOff > 0)
        #expect(total.passedOff.isEmpty)
    }

    @Test("nothing, and no sentence at all, are no drive")
    func empty() {
        for bytes in [[], Array("hello\n".utf8)] {
            let drive = DamagedDrive(bytes)
            #expect(drive.fixes == 0)
            #expect(drive.run(seed: 1, .anotherByte).passed == 0)
        }
    }
}
