import NMEA
import Positioning

/// One pass of the decoder over a log in memory, for measuring its speed.
public enum NMEABenchmark {
    /// What a pass gave.
    public struct Run: Hashable, Sendable {
        public var counters = NMEACounters()
        /// Mixed from every value of every fix: two passes over the same bytes give the same.
        public var digest: UInt64 = 0

        public init() {}
    }

    /// Decodes all bytes and uses every value that comes out.
    public static func run(_ bytes: [UInt8]) -> Run {
        var result = Run()
        var decoder = LogDecoder()
        bytes.withUnsafeBytes { decoder.consume($0) { result.digest = mixed(result.digest, $0) } }
        decoder.finish { result.digest = mixed(result.digest, $0) }
        result.counters = decoder.counters
        return result
    }

    /// The figures as one JSON object, or as words.
    public static func report(
        _ run: Run, bytes: Int, seconds: Double, runs: Int, asJSON: Bool
    ) -> String {
        let counters = run.counters
        let sentences = counters.accepted + counters.rejected
        let megabytes = tenths(Double(bytes) / 1e6 / seconds)
        let nanoseconds = tenths(seconds * 1e9 / Double(max(sentences, 1)))
        guard asJSON else {
            return "\(megabytes) MB/s, \(nanoseconds) ns a sentence (best of \(runs) runs): "
                + "\(bytes) bytes, \(sentences) sentences, \(counters.accepted) accepted, "
                + "\(counters.epochs) epochs, \(counters.fixes) fixes"
        }
        return "{\"bench\":\"nmea\",\"mb_per_s\":\(megabytes),\"ns_per_sentence\":\(nanoseconds),"
            + "\"runs\":\(runs),\"bytes\":\(bytes),\"sentences\":\(sentences),"
            + "\"accepted\":\(counters.accepted),\"rejected\":\(counters.rejected),"
            + "\"epochs\":\(counters.epochs),\"fixes\":\(counters.fixes),"
            + "\"digest\":\"\(String(run.digest, radix: 16))\"}"
    }

    private static func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

    private static func mixed(_ digest: UInt64, _ fix: Fix) -> UInt64 {
        var mix = digest
        func add(_ value: Double?) { mix = (mix &* 31) ^ (value?.bitPattern ?? 1) }
        func add(_ value: Int?) { mix = (mix &* 31) ^ UInt64(truncatingIfNeeded: value ?? -1) }
        add(fix.coordinate?.latitude)
        add(fix.coordinate?.longitude)
        add((fix.time?.millisecondsSince1970).map { Int($0) })
        add(fix.horizontalAccuracy?.meters)
        add(fix.altitudeMeters)
        add(fix.speed)
        add(fix.course)
        add(fix.hdop)
        add(fix.satellitesUsed)
        add(fix.satellitesInView)
        add(fix.bestSignal)
        return mix
    }
}
