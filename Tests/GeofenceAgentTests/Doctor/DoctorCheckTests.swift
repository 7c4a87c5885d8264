import Delivery
import GeofenceAgent
import TestSupport
import Testing
import WireFormat

/// Facts in, finding out: every code of the doctor is reached here, and no other.
@Suite("The doctor's checks")
struct DoctorCheckTests {
    typealias Facts = DoctorFacts

    static func storage(
        _ access: Facts.Storage.Access = .writable(mode: "0700", isPrivate: true),
        free: Int64? = 1 << 32, files: Int64? = nil,
        sync: Facts.Storage.Sync = .skipped(reason: "x"), strangers: [String] = []
    ) -> [DoctorCheck] {
        DoctorChecks.storage(
            Facts.Storage(
                directory: "/s", access: access,
                space: free.map {
                    Facts.Storage.Space(freeBytes: $0, totalBytes: 1 << 34, freeFiles: files)
                }, sync: sync, strangers: .init(owner: "agent", files: strangers)))
    }

    static func queue(
        _ defects: [String] = [], _ miscounts: [String] = [], dead: Int64 = 0
    ) -> [DoctorCheck] {
        DoctorChecks.queue(
            .read(path: "/q", defects: defects, miscounts: miscounts, counts: "3", dead: dead))
    }

    static func clock(
        early: Bool = false, ntp: Bool = false, gnss: Double? = nil
    ) -> [DoctorCheck] {
        [
            DoctorChecks.clock(
                Facts.Clock(
                    time: "t", isBeforeRelease: early, isSynchronised: ntp,
                    gnssOffsetSeconds: gnss, hardwareClock: nil))
        ]
    }

    static func server(
        encrypted: Bool = true, _ route: Facts.Route = .absent,
        _ name: Facts.Name = .literal(host: "h"),
        _ connection: Facts.Connection = .notTried(reason: "r"),
        _ health: Facts.Answer = .notTried(reason: "r"),
        _ authorisation: Facts.Answer = .notTried(reason: "r")
    ) -> [DoctorCheck] {
        DoctorChecks.server(
            Facts.Server(
                url: "u", isEncrypted: encrypted, route: route, name: name,
                connection: connection, health: health, authorisation: authorisation),
            reason: "")
    }

    static func answer(_ status: Int, json: Bool = true, _ code: String? = nil) -> Facts.Answer {
        .answered(status: status, isJSON: json, code: code, milliseconds: 1)
    }

    static func health(_ answer: Facts.Answer) -> [DoctorCheck] {
        server(.absent, .literal(host: "h"), .notTried(reason: "r"), answer)
    }

    static func authorisation(_ answer: Facts.Answer) -> [DoctorCheck] {
        server(
            .absent, .literal(host: "h"), .notTried(reason: "r"), .notTried(reason: "r"), answer)
    }

    static func receiver(
        _ port: Facts.Port = .notNeeded(source: "s"),
        _ rights: Facts.Rights = .unknown(reason: "r"),
        _ holders: Facts.Holders = .unknown(reason: "r"),
        console: Facts.Console = .unknown(reason: "r"),
        gpsd: Facts.GPSD = .notConcerned(reason: "r"), data: Facts.Data = .notHeard(reason: "r"),
        fix: Facts.Fix = .unknown(reason: "r")
    ) -> [DoctorCheck] {
        DoctorChecks.receiver(
            Facts.Receiver(
                port: port, rights: rights, holders: holders, console: console, gpsd: gpsd,
                data: data, fix: fix))
    }

    static let rows: [(DoctorCode, [DoctorCheck])] =
        configurationRows + storageRows + serverRows
        + receiverRows

    static let configurationRows: [(DoctorCode, [DoctorCheck])] = [
        (.configurationAccepted, [DoctorChecks.configuration(.accepted(file: "f", problems: []))]),
        (.configurationRefused, [DoctorChecks.configuration(.refused(lines: ["f:1:2: k: bad"]))]),
        (
            .configuredFileUnusable,
            [DoctorChecks.configuration(.accepted(file: "f", problems: ["no file"]))]
        ),
        (.keyUsable, [DoctorChecks.credential(.usable(path: "k", mode: "0600"))]),
        (
            .keyUnreadable,
            [DoctorChecks.credential(.unreadable(path: "k", problem: "p", remedy: "r"))]
        ),
        (.keyTooOpen, [DoctorChecks.credential(.tooOpen(path: "k", problem: "p", remedy: "r"))]),
        (.keyInvalid, [DoctorChecks.credential(.invalid(path: "k", problem: "p", remedy: "r"))]),
        (.keyNotNeeded, [DoctorChecks.credential(.notNeeded)]),
        (
            .agentRunning,
            [
                DoctorChecks.agent(
                    .running(
                        Facts.AgentSummary(
                            version: "1", runningSeconds: .infinity, clockOffsetSeconds: nil)))
            ]
        ),
        (
            .agentInMemory,
            [
                DoctorChecks.agent(
                    .running(
                        Facts.AgentSummary(
                            version: "1", runningSeconds: 1, clockOffsetSeconds: nil,
                            memoryReason: "diskFull")))
            ]
        ),
        (.agentStopped, [DoctorChecks.agent(.stopped(socket: "s"))]),
        (.agentUnreachable, [DoctorChecks.agent(.unreachable(socket: "s", reason: "r"))]),
        (.agentUnreachable, [DoctorChecks.agent(.forbidden(socket: "s"))]),
        (.watchdogSet, [DoctorChecks.watchdog(.set(unit: "u", value: "WatchdogSec=60"))]),
        (.watchdogMissing, [DoctorChecks.watchdog(.missing(unit: "u"))]),
        (.watchdogUnknown, [DoctorChecks.watchdog(.unknown(reason: "r"))]),
        (.clockGood, clock(ntp: true)), (.clockGood, clock(gnss: 2)),
        (.clockImpossible, clock(early: true, ntp: true)),
        (.clockWithoutSource, clock()), (.clockOff, clock(ntp: true, gnss: -2.1)),
    ]

    static let storageRows: [(DoctorCode, [DoctorCheck])] = [
        (.stateWritable, storage()), (.stateMissing, storage(.missing(reason: "r"))),
        (.stateNotWritable, storage(.notWritable(reason: "Read-only file system"))),
        (.stateForeignFiles, storage(strangers: ["/s/queue.db of root"])),
        (
            .stateForeignFiles,
            storage(.writable(mode: "0755", isPrivate: false), strangers: ["/s/ballast of root"])
        ),
        (.stateNotWritable, storage(.notWritable(reason: "r"), strangers: ["/s/a of root"])),
        (.stateTooOpen, storage(.writable(mode: "0755", isPrivate: false))),
        (.spaceEnough, storage(free: 1 << 32)), (.spaceLow, storage(free: 50_000_000)),
        (.spaceLow, storage(files: 99)), (.spaceExhausted, storage(free: 8_388_608)),
        (.spaceExhausted, storage(files: 0)), (.spaceUnknown, storage(free: nil)),
        (.syncFast, storage(sync: .measured(p99Milliseconds: 250, count: 9))),
        (.syncSlow, storage(sync: .measured(p99Milliseconds: 251, count: 9))),
        (.syncFailed, storage(sync: .failed(reason: "r"))),
        (.syncNotMeasured, storage(sync: .skipped(reason: "r"))),
        (.queueSound, queue()), (.queueDamaged, queue(["page 3"])),
        (.queueDeadLetters, queue(dead: 1)),
        (.queueUnreadable, DoctorChecks.queue(.unreadable(path: "/q", reason: "r"))),
        (.queueNewer, DoctorChecks.queue(.newer(path: "/q", reason: "r"))),
        (.queueAbsent, DoctorChecks.queue(.absent(path: "/q"))),
        (.queueNotChecked, DoctorChecks.queue(.skipped(path: "/q", reason: "r"))),
        (.countsBalanced, queue()), (.countsWrong, queue([], ["off by one"])),
        (.countsNotRead, queue(["page 3"])),
    ]

    static let serverRows: [(DoctorCode, [DoctorCheck])] = [
        (.routePresent, server(.present(interfaces: ["eth0"]))), (.routeAbsent, server(.absent)),
        (.routeNotNeeded, server(.notNeeded)), (.routeUnknown, server(.unknown(reason: "r"))),
        (
            .nameResolved,
            server(.absent, .resolved(host: "h", addresses: ["a"], milliseconds: 1))
        ),
        (.nameNotResolved, server(.absent, .failed(host: "h", reason: "r"))),
        (.nameTimedOut, server(.absent, .timedOut(host: "h", seconds: 3))),
        (.nameNotNeeded, server()),
        (
            .connected,
            server(.absent, .literal(host: "h"), .connected(address: "a", milliseconds: 1))
        ),
        (.connectionRefused, server(.absent, .literal(host: "h"), .refused(address: "a"))),
        (
            .connectionTimedOut,
            server(.absent, .literal(host: "h"), .timedOut(address: "a", milliseconds: 1500))
        ),
        (
            .connectionFailed,
            server(.absent, .literal(host: "h"), .failed(address: "a", reason: "r"))
        ),
        (.connectionNotTried, server()),
        (.encrypted, health(answer(503))),
        (.encryptionFailed, health(.failed(.tlsFailed, reason: "r"))),
        (.encryptionClock, health(.failed(.clockUnsynchronised, reason: "r"))),
        (.encryptionNotNeeded, server(encrypted: false)), (.encryptionNotTried, server()),
        (.serverHealthy, health(answer(200))), (.serverBusy, health(answer(503))),
        (.serverNotOurs, health(answer(200, json: false))), (.serverNotOurs, health(answer(302))),
        (.serverWrongAddress, health(answer(404))),
        (.serverSilent, health(.failed(.serverBusy, reason: "r"))), (.serverNotAsked, server()),
        (.authorised, authorisation(answer(200))),
        (.keyRefused, authorisation(answer(401, "key_unknown"))),
        (.keyForbidden, authorisation(answer(403))),
        (.authorisationUnclear, authorisation(answer(500))),
        (.authorisationUnclear, authorisation(answer(200, json: false))),
        (.authorisationUnclear, authorisation(.failed(.serverBusy, reason: "r"))),
        (.authorisationNotAsked, server()),
        (.authorisationNotAsked, DoctorChecks.server(nil, reason: "no server")),
    ]

    static let receiverRows: [(DoctorCode, [DoctorCheck])] = [
        (.portPresent, receiver(.present(path: "p", device: "d"))),
        (.portMissing, receiver(.missing(path: nil))),
        (.portMissing, receiver(.missing(path: "p"))),
        (.portNotADevice, receiver(.notADevice(path: "p"))), (.portNotNeeded, receiver()),
        (.portReadable, receiver(.missing(path: nil), .readable(owner: "root:dialout"))),
        (
            .portNotReadable,
            receiver(
                .missing(path: nil), .notReadable(owner: "o", group: "dialout", user: "nobody"))
        ),
        (.portRightsUnknown, receiver()),
        (.portFree, receiver(.missing(path: nil), .unknown(reason: "r"), .free(note: "nobody"))),
        (.portHeld, receiver(.missing(path: nil), .unknown(reason: "r"), .held(by: "cat (pid 1)"))),
        (.portHolderUnknown, receiver()),
        (.consoleElsewhere, receiver(console: .elsewhere)),
        (.consoleOnPort, receiver(console: .onPort(argument: "console=ttyS0"))),
        (.consoleUnknown, receiver()),
        (.gpsdApart, receiver(gpsd: .apart(note: "not running"))),
        (.gpsdApart, receiver(gpsd: .serves(place: "localhost:2947"))),
        (.gpsdFights, receiver(gpsd: .fights(place: "p"))),
        (.gpsdAbsent, receiver(gpsd: .absent(reason: "r"))), (.gpsdNotConcerned, receiver()),
        (.sentencesHeard, receiver(data: .sentences(accepted: 3, detail: "d"))),
        (.noSentences, receiver(data: .bytesOnly(detail: "d"))),
        (.noBytes, receiver(data: .silent(detail: "d"))), (.sentencesNotHeard, receiver()),
        (.fixFresh, receiver(fix: .fix(ageSeconds: 10, detail: ""))),
        (.fixStale, receiver(fix: .fix(ageSeconds: 10.1, detail: ""))),
        (.fixAbsent, receiver(fix: .none(detail: "searching"))), (.fixUnknown, receiver()),
    ]

    @Test(
        "what to do about silence is a matter of gpsd where gpsd has the receiver",
        arguments: [DoctorFacts.Data.silent(detail: "d"), .bytesOnly(detail: "d")])
    func actionsFollowTheSource(data: DoctorFacts.Data) throws {
        func action(_ gpsd: DoctorFacts.GPSD) throws -> String {
            try #require(
                Self.receiver(gpsd: gpsd, data: data).first { $0.code.area == "DATA" }?.action)
        }
        #expect(try action(.serves(place: "p")).contains("gpsd"))
        #expect(try !action(.apart(note: "not running")).contains("gpsd"))
    }

    @Test("why nothing was counted or reached is said, and what to do follows the reason")
    func reasons() {
        let facts: [(DoctorFacts.Queue, String)] = [
            (.absent(path: "/s/queue.db"), "not counted: there is no /s/queue.db yet"),
            (.skipped(path: "/s/queue.db", reason: "too large"), "/s/queue.db: too large"),
            (.unreadable(path: "/s/queue.db", reason: "r"), "cannot be read, see D-QUEUE-02"),
            (.newer(path: "/s/queue.db", reason: "r"), "newer version, see D-QUEUE-03"),
            (
                .read(path: "/s/queue.db", defects: ["d"], miscounts: [], counts: "", dead: 0),
                "is damaged, see D-QUEUE-01"
            ),
        ]
        for (queue, expected) in facts {
            let seen = DoctorChecks.queue(queue).first { $0.code == .countsNotRead }?.seen
            #expect(seen?.contains(expected) == true, "\(seen ?? "nothing")")
        }
        let forbidden = DoctorChecks.agent(.forbidden(socket: "/r/s"))
        #expect(forbidden.seen.hasPrefix("/r/s: this user"))
        #expect(forbidden.action?.contains("geofenced") == true)
        #expect(forbidden.action?.contains("systemctl") == false)
        let silent = DoctorChecks.agent(.unreachable(socket: "/r/s", reason: "no answer in time"))
        #expect(silent.seen.contains("no answer in time"))
        #expect(silent.action?.contains("systemctl restart geofenced") == true)
        #expect(silent.action?.contains("group") == false)
    }

    @Test("files of another owner are named, the first of many, with the remedy")
    func strangers() throws {
        func check(_ count: Int) throws -> DoctorCheck {
            let files = (1...count).map { "/s/\($0) of root" }
            return try #require(Self.storage(strangers: files).first)
        }
        #expect(try check(1).seen == "/s/1 of root, not of agent")
        #expect(try check(1).action?.hasPrefix("chown -R agent /s:") == true)
        #expect(try check(5).seen.hasSuffix("/s/5 of root, not of agent"))
        #expect(try check(7).seen.hasSuffix("/s/5 of root, and 2 more, not of agent"))
    }

    @Test("an agent that keeps events in memory says why, and what must not be done")
    func inMemory() {
        let agent = DoctorChecks.agent(
            .running(
                Facts.AgentSummary(
                    version: "1", runningSeconds: 60, clockOffsetSeconds: nil,
                    memoryReason: "storageReadOnly: /s/queue.db: Permission denied")))
        #expect(agent.status == .fail)
        #expect(agent.seen.hasSuffix("storageReadOnly: /s/queue.db: Permission denied"))
        #expect(agent.action?.contains("stopping it before loses") == true)
    }

    @Test("every fact leads to its finding", arguments: rows.indices)
    func verdicts(index: Int) throws {
        let (code, checks) = Self.rows[index]
        let ofArea = checks.filter { $0.code.area == code.area }
        #expect(ofArea.map(\.code) == [code])
        let check = try #require(ofArea.first)
        #expect(check.status == code.status)
        #expect(!check.seen.isEmpty)
        let needsAction = check.status == .fail || check.status == .warn
        #expect((check.action != nil) == needsAction, "\(check)")
    }

    @Test("every code is reached by a row, and every area is well in one of them")
    func complete() {
        let reached = Set(Self.rows.map(\.0))
        #expect(reached == Set(DoctorCode.allCases))
        for area in Set(DoctorCode.allCases.map(\.area)) {
            let codes = DoctorCode.allCases.filter { $0.area == area }
            #expect(codes.contains { $0.status == .ok }, "\(area)")
            #expect(codes.contains { $0.status == .fail || $0.status == .warn }, "\(area)")
        }
    }

    @Test("the report is as bad as its worst check, and skipped ones do not count")
    func report() throws {
        let permissions = PermissionStatus(.denied, reason: "r", nextAction: "n")
        func status(_ codes: [DoctorCode]) -> DoctorReport {
            DoctorReport(
                permissions: permissions, checks: codes.map { DoctorCheck("n", $0, seen: "s") })
        }
        #expect(status([.keyNotNeeded, .stateWritable]).status == .ok)
        #expect(status([.keyNotNeeded]).status == .ok)
        #expect(status([.stateWritable, .spaceLow, .portNotNeeded]).status == .warn)
        #expect(status([.spaceLow, .keyRefused, .stateWritable]).status == .fail)
        #expect(status([.configurationRefused]).blamesConfiguration)
        #expect(!status([.keyRefused]).blamesConfiguration)
        let text = String(
            decoding: try WireCoding.encode(status([.spaceLow])), as: UTF8.self)
        #expect(text.contains("\"schema\":\"geofenced.doctor/1\""))
        #expect(text.contains("\"code\":\"D-SPACE-51\""))
    }

    @Test("docs/doctor.md lists every code with its status, and no other")
    func documented() throws {
        let bytes = try #require(
            SharedFolder.readFile(SharedFolder.projectRoot + "/docs/doctor.md"))
        let rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix("| `D-") }
            .map { $0.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } } }
        let documented = rows.map { "\($0[0]) \($0[1])" }
        let expected = DoctorCode.allCases.map { "\($0.rawValue) \($0.status.rawValue)" }
        #expect(Set(documented) == Set(expected))
        #expect(documented.count == expected.count)
    }

    @Test(
        "the kernel's console is found on the port by its own name or by a link to it",
        arguments: [
            ("console=ttyAMA0,115200 console=tty1", "/dev/ttyAMA0", "console=ttyAMA0,115200"),
            ("console=serial0,115200", "/dev/ttyAMA0", "console=serial0,115200"),
            ("console=tty1 root=/dev/x", "/dev/ttyAMA0", nil),
            ("console=ttyS0", "/dev/ttyS01", nil), ("console= quiet", "/dev/ttyS0", nil),
        ] as [(String, String, String?)])
    func console(line: String, device: String, argument: String?) {
        let facts = KernelConsole.facts(commandLine: line, device: device) {
            $0 == "/dev/serial0" ? "/dev/ttyAMA0" : nil
        }
        #expect(facts == argument.map { .onPort(argument: $0) } ?? .elsewhere)
    }
}
