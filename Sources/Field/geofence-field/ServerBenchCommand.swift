import CommandLineTool
import FieldTools
import Geodesy

/// `bench server`: how fast the nearest fences are found, in process and over HTTP.
struct ServerBenchCommand: Command {
    static let declaration = CommandDeclaration(
        "bench server", summary: "measure how fast the nearest fences are found",
        example: "bench server --check 20000 --check-fences 5000",
        discussion: """
            A seeded land of fences is searched for the nearest 18 (and the one after them, for the \
            coverage radius) in the server's index and in SQLite's R*Tree, question by question in \
            turn; both give the same answers or the run fails. --check goes through every fence for \
            that many questions over circles and polygons, antimeridian and poles, in turn for the \
            nearest 1, 18 and 100 and the one after them, and fails where the index finds anything \
            else. With --port, the route of a running server is asked beside \
            its bare /v1/healthz, over one connection and over 64. One JSON object for each part.
            """,
        options: [
            .value("fences", "N", "fences of the land, 1000 to 5000000", default: "1000000"),
            .value("questions", "N", "places to ask from, 100 to 1000000", default: "5000"),
            .value("seed", "N", "of fences and places", default: "1"),
            .value("check", "N", "questions to go through every fence for", default: "0"),
            .value("check-fences", "N", "fences of that check", default: "100000"),
            .value("export", "FILE", "write 1000 of the checked answers there, one JSON a line"),
            .value("port", "N", "of a geofence-server on 127.0.0.1"),
            .value("key-file", "FILE", "with a device key of it"),
            .value("seconds", "S", "how long each request is measured, 0.1 to 600", default: "3"),
            .flag("route-only", "measure nothing but the route"),
        ])

    static let wanted = 18
    private static let checkedPools = [wanted, 1, 100]

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let seed = UInt64(try arguments.int("seed", in: 0...Int.max) ?? 1)
        if !arguments.flag("route-only") {
            try measureIndex(arguments, seed: seed, on: console)
        }
        let checked = try arguments.int("check", in: 0...1_000_000) ?? 0
        if checked > 0 { try check(checked, arguments, seed: seed, on: console) }
        if let port = try arguments.int("port", in: 1...65_535) {
            guard let path = arguments.string("key-file") else {
                throw UsageError("--port needs --key-file")
            }
            let bytes = try LogSource(path, chunk: 4_096).whole()
            let key = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
            try measureRoute(
                UInt16(port), key: key, seconds: arguments.double("seconds", in: 0.1...600) ?? 3,
                on: console)
        }
        return .success
    }

    // MARK: In process

    private static func measureIndex(
        _ arguments: ParsedArguments, seed: UInt64, on console: Console
    ) throws {
        let count = try arguments.int("fences", in: 1_000...5_000_000) ?? 1_000_000
        let questions = try arguments.int("questions", in: 100...1_000_000) ?? 5_000
        let land = FenceLand(.country, fences: count, seed: seed)
        let places = land.questions(questions)

        var begin = ElapsedClock.processorSeconds
        let index = FenceLandIndex(land)
        let indexSeconds = ElapsedClock.processorSeconds - begin
        begin = ElapsedClock.processorSeconds
        let tree = try RTreeIndex(land)
        let treeSeconds = ElapsedClock.processorSeconds - begin
        let times = try times(of: index, tree, places)
        let (own, old, told) = (times.own, times.old, times.told)
        try console.print(
            object([
                ("bench", "\"index\""), ("fences", "\(count)"), ("questions", "\(questions)"),
                ("us_p50", tenths(median(own))), ("us_p99", tenths(own[own.count * 99 / 100])),
                ("rtree_us_p50", tenths(median(old))),
                ("rtree_told_us_p50", tenths(median(told))),
                ("times_faster", tenths(median(old) / median(own))),
                ("times_faster_than_told", tenths(median(told) / median(own))),
                ("build_cpu_s", thousandths(indexSeconds)),
                ("rtree_build_cpu_s", thousandths(treeSeconds)),
                ("build_times_faster", tenths(treeSeconds / indexSeconds)),
                ("mib", tenths(Double(index.byteCount) / 1_048_576)),
            ]))
        try console.output.flush()
    }

    /// Microseconds of each question, sorted: in the index, in the R*Tree as the server had it, and in
    /// one that is told how far the last of the wanted usually is. In turn, so that a busy machine
    /// slows all three.
    private static func times(
        of index: FenceLandIndex, _ tree: RTreeIndex, _ places: [Coordinate]
    ) throws -> (own: [Double], old: [Double], told: [Double]) {
        let last = places.prefix(200).compactMap { index.nearest(wanted + 1, to: $0).last }
            .map(\.distanceMeters).sorted()
        let usual = last.isEmpty ? RTreeIndex.firstReachMeters : 1.2 * median(last)
        let clock = ContinuousClock()
        var own: [Double] = []
        var old: [Double] = []
        var told: [Double] = []
        for place in places {
            let start = clock.now
            let answer = index.nearest(wanted + 1, to: place)
            let second = clock.now
            let other = try tree.nearest(wanted + 1, to: place)
            let third = clock.now
            let another = try tree.nearest(wanted + 1, to: place, firstReachMeters: usual)
            let end = clock.now
            guard answer == other, answer == another else {
                throw CommandFailure("index and R*Tree differ at \(place)")
            }
            own.append(start.duration(to: second) / .microseconds(1))
            old.append(second.duration(to: third) / .microseconds(1))
            told.append(third.duration(to: end) / .microseconds(1))
        }
        return (own.sorted(), old.sorted(), told.sorted())
    }

    private static func median(_ sorted: [Double]) -> Double {
        sorted.isEmpty ? .infinity : sorted[sorted.count / 2]
    }

    private static func check(
        _ questions: Int, _ arguments: ParsedArguments, seed: UInt64, on console: Console
    ) throws {
        let count = try arguments.int("check-fences", in: 1_000...1_000_000) ?? 100_000
        let land = FenceLand(.earth, fences: count, seed: seed)
        let index = FenceLandIndex(land)
        let measure = try FenceLandMeasure(land)
        var lines: [String] = []
        var ties = 0
        for (number, place) in land.questions(questions).enumerated() {
            let pool = checkedPools[number % checkedPools.count]
            let found = index.nearest(pool + 1, to: place)
            guard found == measure.nearest(pool + 1, to: place) else {
                throw CommandFailure(
                    "the nearest \(pool) are wrong at \(place), seed \(seed), fences \(count)")
            }
            ties += zip(found, found.dropFirst()).count { $0.distanceMeters == $1.distanceMeters }
            if lines.count < 1_000 {
                lines.append(line(place, Array(found.prefix(wanted + 1)), land))
            }
        }
        if let path = arguments.string("export") {
            let file = try OutputFile(path)
            try file.write(Array((lines.joined(separator: "\n") + "\n").utf8))
            try file.finish()
        }
        try console.print(
            object([
                ("bench", "\"check\""), ("fences", "\(count)"),
                ("polygons", "\(land.outlines.count)"), ("questions", "\(questions)"),
                ("seed", "\(seed)"), ("ties", "\(ties)"), ("wrong", "0"),
            ]))
        try console.output.flush()
    }

    /// A place and its answers with their shapes, latitude before longitude.
    private static func line(
        _ place: Coordinate, _ answers: [FenceLandIndex.Answer], _ land: FenceLand
    ) -> String {
        func pair(_ place: Coordinate) -> String { "[\(place.latitude),\(place.longitude)]" }
        let fences = answers.map { answer in
            var shape = ""
            switch land.shape(answer.fence) {
            case .circle(let center, let radius):
                shape = "\"center\":\(pair(center)),\"radius_m\":\(radius)"
            case .polygon(let polygon):
                let ring = (polygon.rings.first ?? []).map(pair).joined(separator: ",")
                shape = "\"ring\":[\(ring)]"
            case .multiPolygon: break
            }
            return "{\"distance_m\":\(answer.distanceMeters),\(shape)}"
        }
        return "{\"place\":\(pair(place)),\"fences\":[\(fences.joined(separator: ","))]}"
    }

    // MARK: Over HTTP

    private static func measureRoute(
        _ port: UInt16, key: String, seconds: Double, on console: Console
    ) throws {
        let health = "GET /v1/healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        let nearest = """
            GET /v1/fences/nearest?lat=52.517&lon=13.389&limit=18&pool=18 HTTP/1.1\r
            Host: 127.0.0.1\r
            Authorization: Bearer \(key)\r
            X-Device-Id: bench-1\r
            User-Agent: geofenced/1.0 (linux; x86_64)\r
            \r

            """
        func outcome(_ request: String, _ connections: Int) throws -> RequestLoad.Outcome {
            let load = try RequestLoad(port: port, request: request, connections: connections)
            // The first ones fill caches.
            _ = try load.run(seconds: 0.2)
            return try load.run(seconds: seconds / Double(rounds))
        }
        var times: [[Double]] = [[], []]
        var rates: [[Double]] = [[], []]
        for _ in 0..<rounds {
            for (place, request) in [health, nearest].enumerated() {
                times[place].append(try outcome(request, 1).medianMicroseconds)
                rates[place].append(try outcome(request, connections).perSecond)
            }
        }
        // Rounds of the two alternate, so that a busy machine slows both; the best of each counts.
        let time = times.map { $0.min() ?? .infinity }
        let rate = rates.map { $0.max() ?? 0 }
        try console.print(
            object([
                ("bench", "\"route\""), ("healthz_us_p50", tenths(time[0])),
                ("nearest_us_p50", tenths(time[1])),
                ("times_healthz", thousandths(time[1] / time[0])),
                ("connections", "\(connections)"), ("healthz_per_s", tenths(rate[0])),
                ("nearest_per_s", tenths(rate[1])),
                ("share_of_healthz", thousandths(rate[1] / rate[0])),
            ]))
    }

    private static let connections = 64
    private static let rounds = 5

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private static func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    private static func thousandths(_ value: Double) -> String {
        "\((value * 1_000).rounded() / 1_000)"
    }
}
