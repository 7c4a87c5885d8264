import Foundation
import TestSupport
import Testing

/// `geofenced run` as a service manager sees it.
@Suite("The service")
struct ServiceTests {
    private let kiosk: KioskAgent

    init() throws {
        kiosk = try KioskAgent()
    }

    private func socket(abstract: Bool) throws -> NotifySocket {
        try #require(
            NotifySocket(
                abstract ? "@geofenced-\(UUID().uuidString)" : kiosk.folder.file("notify")))
    }

    @Test("more time, where it may have to read a large queue first")
    func longStart() throws {
        let manager = try socket(abstract: true)
        let environment = ["NOTIFY_SOCKET": manager.name]
        let first = try kiosk.start(environment: environment)
        #expect(eventually(within: 60) { manager.messages.count >= 1 }, "\(first.errors)")
        first.send(SIGKILL)
        _ = first.end(within: 10)
        #expect(manager.values(of: "EXTEND_TIMEOUT_USEC").isEmpty)
        // As long as a queue of 100 MiB; what lies behind the database is not read.
        #expect(truncate(kiosk.folder.file("state/queue.db"), 104_857_600) == 0)
        let second = try kiosk.start(environment: environment)
        #expect(
            eventually(within: 60) { !manager.values(of: "EXTEND_TIMEOUT_USEC").isEmpty },
            "\(second.errors)")
        #expect(manager.values(of: "EXTEND_TIMEOUT_USEC") == ["160000000"])
        second.send(SIGTERM)
        _ = second.end(within: 30)
    }

    @Test("ready, a status, pings at half the interval, stopping", arguments: [false, true])
    func notifications(abstract: Bool) throws {
        let manager = try socket(abstract: abstract)
        let agent = try kiosk.start(environment: [
            "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "4000000",
        ])
        #expect(eventually(within: 20) { manager.pings.count >= 4 }, "\(agent.errors)")
        #expect(manager.messages.first?.text == "READY=1\nSTATUS=monitoring")
        let line = "fix, 1 of 1 fences monitored, 3 events waiting, no server configured"
        #expect(
            eventually(within: 15) { manager.values(of: "STATUS").last == line },
            "\(manager.values(of: "STATUS"))")
        let pings = manager.pings
        for (earlier, later) in zip(pings, pings.dropFirst()) {
            let gap = later.timeIntervalSince(earlier)
            #expect(gap > 1.5 && gap < 3.5, "\(gap) s between two pings")
        }
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
        #expect(eventually(within: 2) { !manager.values(of: "STOPPING").isEmpty })
        #expect(!manager.messages.contains { $0.text.contains("47.4") }, "a coordinate")
    }

    @Test("ready and well without receiver, network and server")
    func readyWithoutAnything() throws {
        try kiosk.write("key", "a-key\n")
        try kiosk.configure(
            """
            server: { url: "http://127.0.0.1:9", key_file: \(kiosk.folder.file("key")) }
            receiver: { source: serial, path: \(kiosk.folder.file("no-receiver")) }
            """, position: false)
        let manager = try socket(abstract: false)
        let agent = try kiosk.start(environment: [
            "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000000",
        ])
        #expect(eventually(within: 20) { manager.pings.count >= 5 }, "\(agent.errors)")
        #expect(manager.values(of: "READY") == ["1"])
        #expect(
            eventually(within: 15) {
                manager.values(of: "STATUS").last?.contains("no fences yet") == true
            })
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
    }

    @Test("no thread is left to libdispatch, which would wake up once a second for ever")
    func quiet() throws {
        try kiosk.write("key", "a-key\n")
        try kiosk.configure(
            """
            server: { url: "http://127.0.0.1:9", key_file: \(kiosk.folder.file("key")) }
            receiver: { source: serial, path: \(kiosk.folder.file("no-receiver")) }
            """, position: false)
        let manager = try socket(abstract: false)
        let agent = try kiosk.start(environment: [
            "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "2000000",
        ])
        // Tries to reach the server, pings, and answers; then it is told to start over.
        #expect(eventually(within: 20) { manager.pings.count >= 3 }, "\(agent.errors)")
        #expect(!kiosk.answer("status").isEmpty)
        agent.send(SIGHUP)
        #expect(eventually(within: 20) { manager.values(of: "READY").count == 2 })
        #expect(!kiosk.answer("status").isEmpty)
        let own: Set = [
            "geofenced", "tasks", "tracking", "upload", "sync", "receiver",
        ]
        // The program's first thread keeps its name; those of the run before end soon.
        let threads = try threads(of: agent.process.processIdentifier)
        #expect(threads.isSubset(of: own), "\(threads)")
        #expect(threads.isSuperset(of: ["tasks", "tracking", "upload"]), "\(threads)")
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
    }

    private func threads(of process: Int32) throws -> Set<String> {
        let tasks = "/proc/\(process)/task"
        let names = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
            SharedFolder.readFile("\(tasks)/\($0)/comm")
        }
        return Set(names.map { String(decoding: $0.filter { $0 != 10 }, as: UTF8.self) })
    }

    @Test("no ping while the thread that decides and writes is stuck, and pings again after it")
    func stuckWriter() throws {
        let manager = try socket(abstract: true)
        let agent = try kiosk.start(environment: [
            "NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "4000000",
        ])
        #expect(eventually(within: 20) { manager.pings.count >= 2 }, "\(agent.errors)")
        let frozen = try FrozenThread(named: "tracking", of: agent.process.processIdentifier)
        #expect(eventually(within: 15) { agent.errors.contains("stuck: control loop") })
        let before = manager.pings.count
        usleep(6_000_000)
        #expect(manager.pings.count == before)
        frozen.release()
        #expect(eventually(within: 15) { manager.pings.count > before + 1 }, "\(agent.errors)")
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
    }

    @Test("SIGTERM ends it within six seconds, though the server swallows every request")
    func blackHole() throws {
        // Three events wait for a server.
        let first = try kiosk.start()
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(first.errors)")
        first.send(SIGTERM)
        #expect(first.end(within: 10) == 0)

        let hole = try #require(BlackHole())
        try kiosk.write("key", "a-key\n")
        try kiosk.configure(
            """
            server: { url: "http://127.0.0.1:\(hole.port)", key_file: \(kiosk.folder.file("key")) }
            upload: { interval_s: 0 }
            """)
        let second = try kiosk.start()
        #expect(eventually(within: 20) { hole.connections >= 2 }, "\(second.errors)")
        usleep(300_000)
        let asked = Date()
        second.send(SIGTERM)
        #expect(second.end(within: 20) == 0, "\(second.errors)")
        let seconds = Date().timeIntervalSince(asked)
        #expect(seconds < 6.5, "\(seconds) s")
        #expect(seconds > 4, "the running upload had only \(seconds) s")

        try kiosk.configure("fences_file: \(kiosk.folder.file("fences.geojson"))")
        let third = try kiosk.start()
        #expect(
            eventually(within: 20) {
                kiosk.recorded().prefix(3).map(\.type) == ["enter", "dwell", "visit_started"]
            }, "\(third.errors)")
        third.send(SIGTERM)
        #expect(third.end(within: 10) == 0)
    }

    @Test("a stop begins to close a command at once, beside an upload that hangs")
    func hookAndBlackHole() throws {
        let hole = try #require(BlackHole())
        try kiosk.write("key", "a-key\n")
        let pidFile = kiosk.folder.file("pid")
        try kiosk.configure(
            """
            server: { url: "http://127.0.0.1:\(hole.port)", key_file: \(kiosk.folder.file("key")) }
            upload: { interval_s: 0 }
            notify: { command: [/bin/sh, -c, 'echo $$ > \(pidFile); while :; do sleep 1; done'] }
            """)
        try kiosk.write(
            "told.geojson",
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"told",
             "properties":{"name":"Told","radius_m":60,"initial_enter":"notify",
              "campaigns":[{"id":"c","version":1,"trigger":"enter","title":"Hello","body":"x"}]},
             "geometry":{"type":"Point","coordinates":[8.5,47.4]}}]}
            """)
        let agent = try kiosk.start()
        #expect(eventually(within: 20) { agent.errors.contains("ready") }, "\(agent.errors)")
        let adding = try BuiltProgram(
            "geofenced",
            [
                "fences", "add", kiosk.folder.file("told.geojson"), "--config",
                kiosk.configuration,
            ], in: kiosk.folder.path)
        try #require(adding.end(within: 20) == 0, "\(adding.errors)")
        var pid: pid_t?
        #expect(
            eventually(within: 20) {
                let text = SharedFolder.readFile(pidFile).map {
                    String(decoding: $0, as: UTF8.self)
                }
                pid = text.flatMap { pid_t($0.dropLast()) }
                return pid != nil && hole.connections >= 2
            }, "\(agent.errors)")
        let command = try #require(pid)
        // A command has five seconds; the stop comes well before that.
        let asked = Date()
        agent.send(SIGTERM)
        #expect(eventually(within: 20) { kill(command, 0) != 0 })
        let killed = Date()
        #expect(agent.end(within: 20) == 0, "\(agent.errors)")
        let stopped = Date()
        #expect(agent.errors.contains("was killed because the agent stops"), "\(agent.errors)")
        #expect(stopped.timeIntervalSince(asked) > 4, "no upload hung")
        #expect(stopped.timeIntervalSince(killed) > 1, "closed after the upload")
        #expect(stopped.timeIntervalSince(asked) < 6.5, "\(stopped.timeIntervalSince(asked)) s")
    }

    @Test("SIGHUP takes a new configuration, and keeps the old one where the new one is wrong")
    func reload() throws {
        let manager = try socket(abstract: false)
        let agent = try kiosk.start(environment: ["NOTIFY_SOCKET": manager.name])
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(agent.errors)")
        let valid = try String(contentsOfFile: kiosk.configuration, encoding: .utf8)

        try kiosk.write("geofenced.yaml", valid + "\nuplod: { interval_s: 5 }\n")
        agent.send(SIGHUP)
        #expect(eventually(within: 10) { agent.errors.contains("stays as it was") })
        #expect(agent.errors.contains("uplod"))
        #expect(manager.values(of: "RELOADING").isEmpty)

        try kiosk.write("none.geojson", #"{"type":"FeatureCollection","features":[]}"#)
        try kiosk.write(
            "geofenced.yaml",
            valid.replacingOccurrences(of: "fences.geojson", with: "none.geojson"))
        agent.send(SIGHUP)
        #expect(eventually(within: 20) { manager.values(of: "READY").count == 2 })
        #expect(manager.values(of: "RELOADING") == ["1"])
        let status = String(decoding: kiosk.answer("status"), as: UTF8.self)
        #expect(status.contains(#""known":0"#), "\(status)")
        #expect(agent.process.isRunning)

        try kiosk.write("geofenced.yaml", valid)
        agent.send(SIGHUP)
        #expect(eventually(within: 20) { manager.values(of: "READY").count == 3 })
        #expect(
            kiosk.recorded().map(\.type).prefix(5)
                == ["enter", "dwell", "visit_started", "exit", "visit_ended"])
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
    }

    @Test("SIGHUP refuses files that cannot be used; a start tells of them, and keeps what happens")
    func unusableFiles() throws {
        let hole = try #require(BlackHole())
        try kiosk.write("key", "gk_live_x\n")
        let manager = try socket(abstract: false)
        let agent = try kiosk.start(environment: ["NOTIFY_SOCKET": manager.name])
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(agent.errors)")
        try kiosk.configure(
            """
            server:
              url: "https://127.0.0.1:\(hole.port)"
              key_file: \(kiosk.folder.file("key"))
              ca_file: /no/ca.pem
            notify: { command: [/no/hook] }
            """)
        agent.send(SIGHUP)
        let words =
            "the configuration stays as it was: server.ca_file /no/ca.pem: No such file or "
            + "directory; notify.command /no/hook: No such file or directory"
        #expect(eventually(within: 10) { agent.errors.contains(words) }, "\(agent.errors)")
        #expect(manager.values(of: "RELOADING").isEmpty)
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")

        let next = try kiosk.start()
        #expect(
            eventually(within: 20) { kiosk.recorded().count >= 3 }, "\(next.errors)")
        #expect(
            next.errors.contains(
                "server.ca_file /no/ca.pem: No such file or directory: events are kept, and none "
                    + "can be sent until this is mended"), "\(next.errors)")
        #expect(next.errors.contains("/no/hook: No such file or directory: no command is run"))
        #expect(
            eventually(within: 20) {
                next.errors.contains("(curl 77), ca_file /no/ca.pem")
            }, "\(next.errors)")
        next.send(SIGTERM)
        #expect(next.end(within: 10) == 0, "\(next.errors)")
    }

    @Test("a queue of a newer version is exit status 78, and stays as it is")
    func newerQueue() throws {
        let first = try kiosk.start()
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(first.errors)")
        first.send(SIGTERM)
        #expect(first.end(within: 10) == 0)
        let file = try FileHandle(
            forUpdating: URL(fileURLWithPath: kiosk.folder.file("state/queue.db")))
        // The user version of SQLite's header.
        try file.seek(toOffset: 60)
        try file.write(contentsOf: Data([0, 0, 3, 0]))
        try file.close()
        let second = try kiosk.start()
        #expect(second.end(within: 20) == 78, "\(second.errors)")
        #expect(second.errors.contains("has version 768"), "\(second.errors)")
    }

    @Test("a reload without a change repeats nothing")
    func sameAgain() throws {
        let agent = try kiosk.start()
        #expect(eventually(within: 20) { kiosk.recorded().count == 3 }, "\(agent.errors)")
        for round in 1...3 {
            agent.send(SIGHUP)
            #expect(
                eventually(within: 20) {
                    agent.errors.components(separatedBy: "was read again").count == round + 1
                }, "\(agent.errors)")
        }
        usleep(4_000_000)
        #expect(kiosk.recorded().map(\.sequence) == [1, 2, 3])
        agent.send(SIGTERM)
        #expect(agent.end(within: 10) == 0, "\(agent.errors)")
    }

    @Test("a wrong configuration is exit status 78, and one line")
    func wrongConfiguration() throws {
        try kiosk.configure("fences_file: /nowhere/fences.geojson")
        let agent = try kiosk.start()
        #expect(agent.end(within: 10) == 78)
        #expect(agent.errors.contains("/nowhere/fences.geojson"))
        #expect(agent.errors.split(separator: "\n").count == 1, "\(agent.errors)")
    }
}
