import Positioning
import Testing
import WireFormat

@Suite("Accuracy through gpsd")
struct GPSDAccuracyTests {
    private func accuracy(_ text: String) throws -> HorizontalAccuracy? {
        try #require(GPSDLines.decode(text).fixes.last).horizontalAccuracy
    }

    private func isNear(_ value: HorizontalAccuracy?, _ meters: Double) -> Bool {
        value.map { abs($0.meters - meters) < 1e-6 } ?? false
    }

    @Test("GST of the epoch comes first, before or behind its TPV")
    func errors() throws {
        let position = GPSDLines.position(1, #""eph":7"#)
        for text in [
            GPSDLines.errors(1, 3, 4) + GPSDLines.sky(0.9) + position,
            position + GPSDLines.sky(0.9) + GPSDLines.errors(1, 3, 4),
        ] {
            let found = try accuracy(GPSDLines.position(0) + text)
            #expect(isNear(found, 5.35) && found?.provenance == .gst)
        }
    }

    @Test("GST of another epoch does not count")
    func otherEpoch() throws {
        let text =
            GPSDLines.position(0) + GPSDLines.position(1) + GPSDLines.sky(1)
            + GPSDLines.errors(0, 30, 40)
        let found = try accuracy(text)
        #expect(isNear(found, 5.35) && found?.provenance == .hdop)
    }

    @Test(
        "without GST it is HDOP times what ranges of the quality err by",
        arguments: [
            ("", 5.0), (#""status":2"#, 3), (#""status":4"#, 0.5), (#""status":3"#, 0.05),
            (#""status":6"#, 5),
        ])
    func dilution(member: String, error: Double) throws {
        let found = try accuracy(GPSDLines.position(0, member) + GPSDLines.sky(1.2))
        #expect(isNear(found, 1.2 * error * 1.07) && found?.provenance == .hdop)
    }

    @Test(
        "eph counts unless it is HDOP times a constant of gpsd's own",
        arguments: [
            (0.71, 13.490, false), (1.1, 20.9, false), (0.9, 13.5, false), (0.62, 2.945, false),
            (0.8, 3.0, false), (0.71, 2.1, true), (1.1, 7, true), (0.9, 40, true),
        ])
    func estimate(hdop: Double, eph: Double, isOfReceiver: Bool) throws {
        let found = try accuracy(GPSDLines.position(0, #""eph":\#(eph)"#) + GPSDLines.sky(hdop))
        #expect(isNear(found, isOfReceiver ? eph : hdop * 5 * 1.07))
        #expect(found?.provenance == (isOfReceiver ? .receiver : .hdop))
    }

    @Test("eph made from the HDOP before is not believed either")
    func previousDilution() throws {
        let text = GPSDLines.sky(0.9) + GPSDLines.position(0, #""eph":17.1"#) + GPSDLines.sky(1.4)
        #expect(try accuracy(text)?.provenance == .hdop)
    }

    @Test("without HDOP eph is the receiver's, and without anything there is none")
    func nothing() throws {
        #expect(isNear(try accuracy(GPSDLines.position(0, #""eph":6"#)), 6))
        #expect(try accuracy(GPSDLines.position(0)) == nil)
        #expect(try accuracy(GPSDLines.position(0, #""eph":0"#)) == nil)
    }

    @Test("satellites and dilution hold for 10 s, not longer")
    func age() {
        let text = GPSDLines.sky(0.9) + [0.0, 5, 9, 12].map { GPSDLines.position($0) }.joined()
        let fixes = GPSDLines.decode(text).fixes
        #expect(fixes.map(\.hdop) == [0.9, 0.9, 0.9, nil])
        #expect(fixes.map(\.satellitesUsed) == [2, 2, 2, nil])
        #expect(fixes.map(\.satellitesInView) == [3, 3, 3, nil])
        #expect(fixes.map(\.bestSignal) == [47, 47, 47, nil])
    }
}
