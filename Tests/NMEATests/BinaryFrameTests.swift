import Testing

@testable import NMEA

/// Builds frames of the binary protocols.
enum BinarySample {
    static func ubx(payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [
            0xB5, 0x62, 0x01, 0x07, UInt8(payload.count & 0xFF), UInt8(payload.count >> 8),
        ]
        frame += payload
        var first: UInt8 = 0
        var second: UInt8 = 0
        for byte in frame[2...] {
            first &+= byte
            second &+= first
        }
        return frame + [first, second]
    }

    static func rtcm(payload: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = [0xD3, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
        frame += payload
        var remainder: UInt32 = 0
        for byte in frame {
            remainder ^= UInt32(byte) << 16
            for _ in 0..<8 {
                remainder <<= 1
                if remainder & 0x100_0000 != 0 { remainder ^= 0x186_4CFB }
            }
        }
        return frame + [
            UInt8(remainder >> 16 & 0xFF), UInt8(remainder >> 8 & 0xFF), UInt8(remainder & 0xFF),
        ]
    }
}

@Suite("Binary frames between the sentences are skipped, and nothing else is")
struct BinaryFrameTests {
    private static let inside = Array(line(Sample.gga("101010")).utf8)
    private static let after = Array(line(Sample.gga("101011")).utf8)

    @Test("the CRC of the sample is that of RTCM 10403: message 1005 of its example")
    func knownFrame() {
        let frame: [UInt8] = [
            0xD3, 0x00, 0x13, 0x3E, 0xD7, 0xD3, 0x02, 0x02, 0x98, 0x0E, 0xDE, 0xEF, 0x34, 0xB4,
            0xBD,
            0x62, 0xAC, 0x09, 0x41, 0x98, 0x6F, 0x33, 0x36, 0x0B, 0x98,
        ]
        #expect(decode(frame + Self.after).counters.rtcmFrames == 1)
    }

    @Test("a sentence inside of a frame is not seen")
    func skipped() {
        let ubx = decode(BinarySample.ubx(payload: Self.inside) + Self.after)
        #expect(ubx.counters.ubxFrames == 1)
        #expect(ubx.times.count == 1)
        let rtcm = decode(BinarySample.rtcm(payload: Self.inside) + Self.after)
        #expect(rtcm.counters.rtcmFrames == 1)
        #expect(rtcm.counters.accepted == 1)
        let longest = decode(
            BinarySample.ubx(payload: [UInt8](repeating: 0x24, count: 8192)) + Self.after)
        #expect(longest.counters.ubxFrames == 1)
        #expect(longest.counters.rejected == 0)
    }

    @Test("a false header does not swallow what follows it")
    func falseHeaders() {
        let headers: [[UInt8]] = [
            [0xB5, 0x62, 0x01, 0x07, 0x10, 0x00], [0xB5, 0x62, 0x01, 0x07, 0xFF, 0xFF],
            [0xB5, 0x62, 0x01, 0x07, 0x00, 0x20], [0xB5], [0xB5, 0x62], [0xD3], [0xD3, 0x00],
            [0xD3, 0x03, 0xFF], [0xD3, 0x00, 0x05], [0xD3, 0xFF, 0xFF], [0xB5, 0xB5, 0x62],
            Array(BinarySample.ubx(payload: [1, 2, 3]).dropLast()),
        ]
        for header in headers {
            let counters = decode(header + Self.inside + Self.after).counters
            #expect(counters.accepted == 2, "\(header)")
            #expect(counters.ubxFrames + counters.rtcmFrames == 0)
        }
    }

    @Test("a frame that cuts a sentence short costs only that sentence")
    func interruption() {
        let bytes =
            Array(Self.inside.prefix(20)) + BinarySample.ubx(payload: Self.inside) + Self.after
        let counters = decode(bytes).counters
        #expect(counters.nonPrintable == 1)
        #expect(counters.ubxFrames == 1)
        #expect(counters.accepted == 1)
    }
}
