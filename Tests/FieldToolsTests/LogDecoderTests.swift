import Foundation
import Positioning
import TestSupport
import Testing

@testable import FieldTools

/// Where the logs stand, if they do.
private let areLogsHere = SharedFolder.path("corpora/field/MANIFEST.json") != nil

@Suite("Logs of real receivers", .enabled(if: areLogsHere, "the shared corpora are not here"))
struct LogDecoderTests {
    private func epochs(_ name: String) throws -> [Fix] {
        LogDecoder.epochs(of: try #require(SharedFolder.bytes("corpora/field/\(name)")))
    }

    @Test(
        "epochs and fixes of whole logs",
        arguments: [
            ("genivi-positioning/20100403_Z205_Switzerland.nmea", 10_412, 10_323),
            ("genivi-positioning/Silvretta-1_converted_1.nmea", 725, 0),
            ("dotmorten-nmeaparser/NmeaSampleData.txt", 4469, 4469),
            ("dotmorten-nmeaparser/TrimbleR2SampleData.txt", 34, 34),
            ("google-gmt/MTV.Local1.ublox-F9K.20200206-181434.nmea", 1654, 1654),
            ("gnss_lib_py/pixel6.nmea", 48, 48), ("signalk/plaka.log", 7250, 7250),
            ("signalk/gofree-merrimac.log", 142, 142), ("aerorust-nmea/nmea1.log", 1307, 991),
            ("comma2k19/ublox_m8.nmea", 578, 578),
        ])
    func counts(name: String, epochs: Int, fixes: Int) throws {
        let found = try self.epochs(name)
        #expect(found.count == epochs)
        #expect(found.filter { $0.dimension != .none }.count == fixes)
    }

    @Test("no file of any kind crashes the decoder, and what it gives is on Earth and finite")
    func everything() throws {
        let folder = try #require(SharedFolder.path("corpora"))
        let files = try #require(FileManager.default.enumerator(atPath: folder))
        var count = 0
        for case let name as String in files {
            guard let bytes = SharedFolder.readFile("\(folder)/\(name)"), bytes.count < 1_000_000
            else {
                continue
            }
            count += 1
            for fix in LogDecoder.epochs(of: bytes) {
                #expect((fix.coordinate == nil) == (fix.dimension == .none))
                #expect(fix.speed.map { $0 >= 0 && $0.isFinite } != false)
                #expect(fix.course.map { (0..<360).contains($0) } != false)
                #expect(fix.horizontalAccuracy.map { $0.meters > 0 && $0.meters.isFinite } != false)
            }
        }
        #expect(count > 150)
    }

    @Test("pieces of any size give the same epochs", arguments: [1, 3, 64, 4096])
    func pieces(size: Int) throws {
        for name in ["pyubx2/pygpsdata-MIXED2.log", "gpsbabel/nmea_utf16", "gpsbabel/nmea+ms.txt"] {
            let bytes = try #require(SharedFolder.bytes("corpora/field/\(name)"))
            var decoder = LogDecoder()
            var fixes: [Fix] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes {
                    decoder.consume($0) { fixes.append($0) }
                }
            }
            decoder.finish { fixes.append($0) }
            #expect(fixes == LogDecoder.epochs(of: bytes), "\(name)")
        }
    }

    @Test("damage to a drive leaves hardly a position more than 1 km off", arguments: UInt64(1)...3)
    func damage(seed: UInt64) throws {
        print("LogDecoderTests.damage seed \(seed)")
        let bytes = try #require(SharedFolder.bytes("corpora/field/comma2k19/ublox_m8.nmea"))
        var random = SeededGenerator(seed: seed)
        let damaged = bytes.map { byte in
            Int.random(in: 0..<200, using: &random) == 0
                ? UInt8.random(in: 0...255, using: &random) : byte
        }
        let fixes = LogDecoder.epochs(of: damaged).compactMap(\.coordinate)
        let track = LogDecoder.epochs(of: bytes).compactMap(\.coordinate)
        #expect(fixes.count > 300)
        let off = fixes.filter { fix in
            !track.contains {
                abs($0.latitude - fix.latitude) < 0.01 && abs($0.longitude - fix.longitude) < 0.01
            }
        }
        #expect(off.count <= 1, "seed \(seed): \(off)")
    }
}
