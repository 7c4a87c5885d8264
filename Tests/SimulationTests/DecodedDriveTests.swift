import Geodesy
import NMEA
import Positioning
import Simulation
import Testing
import Timekeeping

/// What the project's own decoder makes of simulated bytes.
@Suite("Decoded drive")
struct DecodedDriveTests {
    private static let start = UTCTime(millisecondsSince1970: 1_767_225_590_000)

    private struct Outcome {
        var epochs: [ReceiverModel.Epoch] = []
        var fixes: [Fix] = []
        var counters = NMEACounters()
    }

    private static func decode(
        noise name: String, _ change: (inout ReceiverModel.Settings) -> Void = { _ in }
    ) throws -> Outcome {
        let route = try Route(
            geoJSON: Array(
                """
                {"type":"Feature","properties":{"stops":[[1,5]],"tunnels":[[2,3]]},"geometry":
                {"type":"LineString","coordinates":[[-0.002,-33.9],[0.001,-33.898],[0.003,-33.898],
                [0.006,-33.897],[0.009,-33.897],[0.009,-33.9]]}}
                """.utf8))
        var settings = ReceiverModel.Settings(
            start: start, noise: try #require(ReceiverNoise(name: name)))
        change(&settings)
        var receiver = ReceiverModel(route, settings: settings, seed: 77)
        var decoder = NMEADecoder()
        var outcome = Outcome()
        while let epoch = receiver.next() {
            outcome.epochs.append(epoch)
            let uptime = Uptime(milliseconds: Int64(epoch.seconds * 1000))
            decoder.consume(epoch.bytes, at: uptime) { outcome.fixes.append($0) }
        }
        decoder.finish { outcome.fixes.append($0) }
        outcome.counters = decoder.counters
        return outcome
    }

    @Test(
        "every sentence is accepted and every epoch gives one fix of its time",
        arguments: ReceiverNoise.names, [100, 1000, 5000])
    func complete(noise: String, period: Int) throws {
        let outcome = try Self.decode(noise: noise) {
            $0.periodMilliseconds = Int64(period)
            $0.sentences = Set(SentenceKind.allCases)
        }
        #expect(outcome.counters.rejected == 0)
        #expect(outcome.fixes.map(\.time) == outcome.epochs.map { $0.time })
        let differing = zip(outcome.fixes, outcome.epochs).filter {
            ($0.coordinate != nil) != $1.hasFix
        }
        #expect(differing.isEmpty)
        #expect(outcome.epochs.contains { !$0.hasFix })
    }

    @Test("without noise positions are within 1 mm, speeds within 1 mm/s of the truth")
    func exact() throws {
        let outcome = try Self.decode(noise: "none")
        for (epoch, fix) in zip(outcome.epochs, outcome.fixes) where epoch.hasFix {
            let coordinate = try #require(fix.coordinate)
            #expect(epoch.truth.position.offset(to: coordinate).lengthMeters < 0.001)
            let speed = try #require(fix.speed)
            #expect(abs(speed - epoch.truth.speed) < 0.001)
            if let course = fix.course {
                let turn = abs(course - epoch.truth.courseDegrees)
                #expect(min(turn, 360 - turn) < 0.01)
            }
            #expect(fix.dimension == .threeDimensional && fix.quality == .autonomous)
        }
    }

    @Test(
        "the claimed accuracy is the model's, by HDOP and by GST",
        arguments: [("none", 3.0), ("open", 3.8), ("suburb", 7.6), ("urban", 18.2)])
    func accuracy(noise: String, meters: Double) throws {
        for (kinds, source) in [
            (SentenceKind.usual, HorizontalAccuracy.Provenance.hdop),
            (SentenceKind.usual.union([.gst]), .gst),
        ] {
            let outcome = try Self.decode(noise: noise) { $0.sentences = kinds }
            let fix = try #require(outcome.fixes.first { $0.coordinate != nil })
            let accuracy = try #require(fix.horizontalAccuracy)
            #expect(abs(accuracy.meters - meters) < 0.1)
            #expect(accuracy.provenance == source)
        }
    }

    @Test("a receiver without RMC and VTG gives no speed, and its date by ZDA")
    func speedless() throws {
        let outcome = try Self.decode(noise: "open") { $0.sentences = [.gga, .gsa, .gsv, .zda] }
        #expect(outcome.fixes.allSatisfy { $0.speed == nil && $0.course == nil })
        #expect(outcome.fixes.map(\.time) == outcome.epochs.map { $0.time })
    }

    @Test("a cold start gives epochs without time, then with")
    func coldStart() throws {
        let outcome = try Self.decode(noise: "open") { $0.coldStartSeconds = 4 }
        let timed = outcome.fixes.filter { $0.time != nil }
        #expect(timed.map(\.time) == outcome.epochs.dropFirst(4).map { $0.time })
        let untimed = outcome.fixes.filter { $0.time == nil }
        #expect(untimed.count == 4 && untimed.allSatisfy { $0.coordinate == nil })
    }
}
