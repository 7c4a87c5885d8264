import TestSupport
import Testing
import Timekeeping

@testable import ReferenceServer

extension ServerStoreContractTests {
    private typealias Sent = StoreBench.Sent

    @Test(
        "who is inside follows epoch and number, in whatever order events come",
        arguments: StoreKind.allCases)
    func occupancy(kind: StoreKind) throws {
        // The first epoch is received first; all else comes in any order.
        let rest = [
            Sent(id: "e-2", kind: .exit, sequence: 2, second: 60),
            Sent(id: "e-3", kind: .enter, sequence: 3, second: 120),
            Sent(id: "n-1", kind: .exit, epoch: "epoch-2", sequence: 1, second: 180),
            Sent(
                id: "n-2", kind: .enter, epoch: "epoch-2", sequence: 2, fence: "yard", second: 240),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            let bench = try StoreBench(kind)
            try bench.ingest([Sent(id: "e-1")])
            #expect(try bench.device().insideFences == ["depot"])
            for index in order { try bench.ingest([rest[index]]) }
            #expect(try bench.device().insideFences == ["yard"], "\(order)")
            try bench.ingest([Sent(id: "o-1", fence: "yard")], device: "van-8")
            try bench.ingest([Sent(id: "o-2", sequence: 2, fence: "depot")], device: "van-8")
            var filter = DeviceFilter()
            filter.insideFence = "yard"
            func found(after id: String? = nil) throws -> [String] {
                try bench.store.devices(filter, of: bench.workspace, after: id, limit: 10).map(\.id)
            }
            #expect(try found() == ["van-7", "van-8"] && found(after: "van-7") == ["van-8"])
            filter.insideFence = "depot"
            #expect(try found() == ["van-8"])
        }
    }

    @Test(
        "after a queue in memory the disk's queue goes on: neither its exits nor its visits are older",
        arguments: StoreKind.allCases)
    func nestedEpoch(kind: StoreKind) throws {
        let rest = [
            Sent(id: "m-1", kind: .exit, epoch: "memory", sequence: 1, uptime: 20),
            Sent(id: "m-2", kind: .enter, epoch: "memory", sequence: 2, uptime: 30),
            Sent(
                id: "m-3", kind: .visitStarted, epoch: "memory", sequence: 3, visit: "v-1",
                uptime: 31),
            Sent(id: "m-4", kind: .enter, epoch: "memory", sequence: 4, fence: "yard", uptime: 35),
            Sent(id: "d-2", kind: .exit, epoch: "disk", sequence: 2, uptime: 40),
            // A restart later.
            Sent(
                id: "d-3", kind: .exit, epoch: "disk", sequence: 3, boot: "boot-2", fence: "yard",
                uptime: 5),
            Sent(
                id: "d-4", kind: .visitStarted, epoch: "disk", sequence: 4, boot: "boot-2",
                visit: "v-2", uptime: 50),
        ]
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        var orders = [rest, rest.reversed(), rest.suffix(3) + rest.prefix(4)]
        for _ in 0..<10 { orders.append(rest.shuffled(using: &generator)) }
        for order in orders {
            let bench = try StoreBench(kind)
            try bench.ingest([Sent(id: "d-1", epoch: "disk", uptime: 10)])
            for event in order { try bench.ingest([event]) }
            let device = try bench.device()
            #expect(device.insideFences == [], "\(order.map(\.id))")
            let states = try bench.visits().map { "\($0.id) \($0.state.rawValue)" }.sorted()
            #expect(states == ["v-1 interrupted", "v-2 open"], "\(order.map(\.id))")
            #expect(device.alarms.isEmpty)
        }
    }

    @Test(
        "a new queue of the same boot is the later one, whichever is heard of first",
        arguments: StoreKind.allCases)
    func newQueue(kind: StoreKind) throws {
        // Numbers begin anew where the disk was replaced while the device was on.
        let old = Sent(id: "o", kind: .enter, epoch: "old", sequence: 90, uptime: 100)
        let new = Sent(id: "n", kind: .exit, epoch: "new", sequence: 1, uptime: 200)
        for order in [[old, new], [new, old]] {
            let bench = try StoreBench(kind)
            for event in order { try bench.ingest([event]) }
            #expect(try bench.device().insideFences.isEmpty, "\(order.map(\.id))")
        }
    }

    @Test(
        "events and numbers claimed twice are counted beside the events, whatever the order",
        arguments: StoreKind.allCases)
    func counts(kind: StoreKind) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let bench = try StoreBench(kind)
        var sequences: [Int64] = []
        for batch in 0..<12 {
            var sent: [Sent] = []
            for number in 0..<20 {
                let sequence = 1 + Int64(generator.next() % 60)
                sequences.append(sequence)
                sent.append(Sent(id: "e-\(batch)-\(number)", sequence: sequence))
            }
            try bench.ingest(sent)
            // What is there already counts once.
            try bench.ingest(Array(sent.prefix(3)))
            let epoch = try #require(try bench.device().epochs.first)
            let distinct = Set(sequences)
            #expect(epoch.events == Int64(sequences.count))
            #expect(epoch.conflicts == Int64(sequences.count - distinct.count))
            #expect(epoch.firstSequence == distinct.min() && epoch.lastSequence == distinct.max())
            #expect(epoch.missing == epoch.lastSequence - Int64(distinct.count))
        }
    }

    @Test(
        "of a device with very many queues the latest are told", arguments: StoreKind.allCases)
    func manyEpochs(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.ingest(
            (1...250 as ClosedRange<Int64>).map { Sent(id: "e-\($0)", epoch: "epoch-\($0)") })
        let epochs = try bench.device().epochs.map(\.epoch)
        #expect(epochs == (151...250).map { "epoch-\($0)" })
    }

    @Test(
        "a visit is put together from its ends, in whatever order they come",
        arguments: StoreKind.allCases)
    func visits(kind: StoreKind) throws {
        let start = Sent(id: "s", kind: .visitStarted, sequence: 1, visit: "v-1", second: 0)
        let end = Sent(id: "e", kind: .visitEnded, sequence: 2, visit: "v-1", second: 600)
        let next = Sent(id: "n", kind: .visitStarted, sequence: 3, visit: "v-2", second: 900)
        for order in [[start, end, next], [next, end, start], [end, next, start]] {
            let bench = try StoreBench(kind)
            for event in order { try bench.ingest([event]) }
            let visits = try bench.visits().sorted { $0.id < $1.id }
            #expect(visits.map(\.state) == [.closed, .open])
            #expect(visits.first?.startedAt == bench.now)
            #expect(visits.first?.endedAt == bench.later(seconds: 600))
        }
        let bench = try StoreBench(kind)
        try bench.ingest([end])
        #expect(try bench.visits().map(\.state) == [.headless])
        try bench.ingest([Sent(id: "x", kind: .visitStarted, sequence: 5, visit: "v-5")])
        try bench.ingest([Sent(id: "y", kind: .visitStarted, sequence: 9, visit: "v-9")])
        #expect(try bench.visits().first { $0.id == "v-5" }?.state == .interrupted)
    }

    @Test(
        "gaps and numbers that are claimed twice are counted, retention makes no gap",
        arguments: StoreKind.allCases)
    func gaps(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        try bench.ingest([1, 2, 5].map { Sent(id: "e-\($0)", sequence: $0) })
        var epoch = try #require(try bench.device().epochs.first)
        #expect(epoch.missing == 2 && epoch.conflicts == 0 && epoch.lastSequence == 5)
        #expect(try bench.device().alarms == [.missing])
        try bench.ingest([3, 4].map { Sent(id: "e-\($0)", sequence: $0) })
        #expect(try bench.device().alarms.isEmpty)
        try bench.ingest([Sent(id: "clone", sequence: 4, boot: "boot-9")])
        epoch = try #require(try bench.device().epochs.first)
        #expect(epoch.missing == 0 && epoch.conflicts == 1)
        #expect(try bench.device().alarms == [.conflicts])
        try bench.ingest(
            [Sent(id: "e-6", sequence: 6)], at: bench.later(days: 100))
        #expect(
            try bench.store.deleteEvents(receivedBefore: bench.later(days: 10), limit: 100) == 6)
        #expect(try bench.eventIDs() == ["e-6"])
        #expect(try bench.device().epochs.first?.missing == 0)
        // What had been claimed twice and is deleted hides nothing that is missing now.
        try bench.ingest([Sent(id: "e-8", sequence: 8)], at: bench.later(days: 100))
        #expect(try bench.device().epochs.first?.missing == 1)
    }

    @Test("the days of retention are kept", arguments: StoreKind.allCases)
    func retentionDays(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        #expect(try bench.store.retentionDays() == RetentionDays())
        for days in [RetentionDays(trusted: nil, claimed: 7), RetentionDays(trusted: 8)] {
            try bench.store.noteRetention(days)
            #expect(try bench.reopened().retentionDays() == days)
        }
    }

    @Test(
        "two queues at the same time are noticed, queues after or within each other are none",
        arguments: StoreKind.allCases)
    func interleaving(kind: StoreKind) throws {
        func alarm(_ rows: [(epoch: String, second: Int64?)]) throws -> Bool {
            let bench = try StoreBench(kind)
            var sequences: [String: Int64] = [:]
            for (index, row) in rows.enumerated() {
                sequences[row.epoch, default: 0] += 1
                try bench.ingest([
                    Sent(
                        id: "e-\(index)", epoch: row.epoch, sequence: sequences[row.epoch] ?? 0,
                        boot: "boot-\(row.epoch)", second: row.second)
                ])
            }
            let isFlagged = try bench.device().alarms.contains(.interleavedEpochs)
            var filter = DeviceFilter()
            filter.isInterleaved = true
            let found = try bench.store.devices(
                filter, of: bench.workspace, after: nil, limit: 10)
            #expect(found.map(\.id) == (isFlagged ? ["van-7"] : []))
            #expect(try bench.store.interleavedDeviceCount() == (isFlagged ? 1 : 0))
            return isFlagged
        }
        let hour: Int64 = 3_600
        #expect(try alarm([("a", 0), ("b", hour), ("a", 2 * hour), ("b", 3 * hour)]))
        // Whatever the order in which they come; found once, it stays.
        #expect(try alarm([("b", 3 * hour), ("a", 0), ("b", hour), ("a", 2 * hour)]))
        #expect(
            try alarm([
                ("a", 0), ("b", hour), ("a", 2 * hour), ("b", 3 * hour), ("a", 9 * hour),
            ]))
        // A new queue after the old one, whose last events come late.
        #expect(try !alarm([("a", 0), ("b", 2 * hour), ("a", hour), ("b", 3 * hour)]))
        // The queue in memory while the disk refused writes.
        #expect(
            try !alarm([("a", 0), ("m", hour), ("m", 2 * hour), ("a", 3 * hour), ("a", 4 * hour)]))
        // Clocks that differ by some minutes before and after a restart.
        #expect(try !alarm([("a", 0), ("a", hour), ("b", hour - 240), ("b", 2 * hour)]))
        // Without a time nothing can be said.
        #expect(try !alarm([("a", nil), ("b", nil), ("a", nil), ("b", nil)]))
    }

    @Test(
        "two queues whose times only clock anchors give are noticed, whenever the anchors come",
        arguments: StoreKind.allCases)
    func interleavingByAnchors(kind: StoreKind) throws {
        let hour: Int64 = 3_600
        func anchors(_ bench: StoreBench, apart: Int64) -> [IncomingBatch.Anchor] {
            [("boot-a", 0), ("boot-b", apart)].map {
                IncomingBatch.Anchor(
                    bootID: $0.0, monoMilliseconds: 0, utc: bench.later(seconds: $0.1),
                    source: "gnss")
            }
        }
        func events(_ epoch: String) -> [Sent] {
            [0, 2 * hour].enumerated().map { index, uptime in
                Sent(
                    id: "\(epoch)-\(index)", epoch: epoch, sequence: Int64(index) + 1,
                    boot: "boot-\(epoch)", second: nil, uptime: uptime)
            }
        }
        for (apart, isFlagged) in [(hour, true), (3 * hour, false)] {
            let late = try StoreBench(kind)
            for epoch in ["a", "b"] { try late.ingest(events(epoch)) }
            #expect(try late.device().alarms.isEmpty)
            try late.ingest([], anchors: anchors(late, apart: apart))
            #expect(try late.device().alarms == (isFlagged ? [.interleavedEpochs] : []))
            let early = try StoreBench(kind)
            try early.ingest([], anchors: anchors(early, apart: apart))
            for epoch in ["a", "b"] { try early.ingest(events(epoch)) }
            #expect(try early.device().alarms == (isFlagged ? [.interleavedEpochs] : []))
        }
    }

    @Test(
        "an anchor goes when it is old and no event of its boot is left",
        arguments: StoreKind.allCases)
    func oldAnchors(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        func anchor(_ boot: String, second: Int64) -> IncomingBatch.Anchor {
            IncomingBatch.Anchor(
                bootID: boot, monoMilliseconds: second * 1_000, utc: bench.later(seconds: second),
                source: "gnss")
        }
        try bench.ingest(
            [Sent(id: "e-1", boot: "boot-1")],
            anchors: [
                anchor("boot-1", second: 0), anchor("boot-2", second: 0),
                anchor("boot-3", second: 7_200),
            ])
        // More devices than are looked at in one piece.
        for number in 0..<30 {
            try bench.ingest(
                [], device: "other-\(number)", anchors: [anchor("boot-9", second: 0)])
        }
        var device: Int64? = 0
        var pieces = 0
        while let next = device, pieces < 100 {
            device = try bench.store.deleteAnchors(
                before: bench.later(seconds: 3_600), afterDevice: next)
            pieces += 1
        }
        #expect(device == nil)
        func boots(_ device: String) throws -> [String] {
            try bench.store.anchors(ofDevice: device, of: bench.workspace, after: nil, limit: 10)
                .map(\.bootID)
        }
        #expect(try boots("van-7") == ["boot-1", "boot-3"])
        #expect(try boots("other-0").isEmpty && boots("other-29").isEmpty)
    }

    @Test("retention deletes by day of receipt, in pieces", arguments: StoreKind.allCases)
    func retention(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        for day in 0..<4 as Range<Int64> {
            try bench.ingest(
                [
                    Sent(
                        id: "s-\(day)", kind: .visitStarted, sequence: 2 * day + 1,
                        visit: "v-\(day)", second: day * 86_400),
                    Sent(
                        id: "e-\(day)", kind: .visitEnded, sequence: 2 * day + 2, visit: "v-\(day)",
                        second: day * 86_400 + 60),
                ], at: bench.later(days: day))
        }
        let end = bench.later(days: 2)
        #expect(try bench.store.deleteEvents(receivedBefore: end, limit: 3) == 3)
        #expect(try bench.store.deleteEvents(receivedBefore: end, limit: 3) == 1)
        #expect(try bench.store.deleteEvents(receivedBefore: end, limit: 3) == 0)
        #expect(try bench.eventIDs() == ["s-2", "e-2", "s-3", "e-3"])
        #expect(try bench.visits().map(\.id) == ["v-2", "v-3"])
        // The id of what was deleted is free again; nothing else is to be expected of it.
        #expect(try bench.store.usage(of: bench.workspace, now: bench.now).devices == 1)
    }

    @Test("an erased device is gone, and its own keys with it", arguments: StoreKind.allCases)
    func erasure(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        let own = try IssuedKey(.live, deviceID: "van-7")
        let shared = try IssuedKey(.live)
        for key in [own, shared] {
            _ = try bench.store.addKey(key.draft, to: bench.workspace, now: bench.now)
        }
        try bench.ingest([
            Sent(id: "e-1"), Sent(id: "v", kind: .visitStarted, sequence: 2, visit: "v-1"),
        ])
        try bench.ingest([Sent(id: "o-1")], device: "van-8")
        #expect(try bench.store.eraseDevice("van-7", of: bench.workspace, now: bench.now))
        #expect(try bench.store.device("van-7", of: bench.workspace) == nil)
        #expect(try bench.eventIDs() == ["o-1"])
        #expect(try bench.visits().isEmpty)
        #expect(try bench.store.key(hash: own.draft.hash)?.revokedAt == bench.now)
        #expect(try bench.store.key(hash: shared.draft.hash)?.revokedAt == nil)
        #expect(try bench.store.eraseDevice("van-7", of: bench.workspace, now: bench.now) == false)
        // What was used of the month stays used.
        #expect(try bench.store.usage(of: bench.workspace, now: bench.now).eventsThisMonth == 3)
    }

    @Test("a heartbeat is kept with its time", arguments: StoreKind.allCases)
    func heartbeat(kind: StoreKind) throws {
        let bench = try StoreBench(kind)
        var report = DeviceReport(userID: "ann", agent: "geofenced/1.0")
        report.pending = 3
        report.heartbeat = Array("{\"a\":1}".utf8)
        try bench.store.heartbeat(report, from: "van-7", of: bench.workspace, now: bench.now)
        // One that says nothing leaves what is known.
        try bench.store.heartbeat(
            DeviceReport(userID: nil, agent: nil), from: "van-7", of: bench.workspace,
            now: bench.later(seconds: 60))
        let device = try bench.device()
        #expect(device.userID == "ann" && device.agent == "geofenced/1.0" && device.pending == 3)
        #expect(device.heartbeat == report.heartbeat && device.heartbeatAt == bench.now)
        #expect(device.firstSeenAt == bench.now && device.lastSeenAt == bench.later(seconds: 60))
        #expect(device.epochs.isEmpty && device.alarms.isEmpty)
    }
}
