import Foundation
import GeofenceAgent
import Synchronization
import TestSupport
import Testing
import Timekeeping

@testable import EmbeddedAgent

/// The agent inside another program, in a folder of its own.
@Suite("The library", .serialized)
struct LibraryTests {
    private let folder: TemporaryDirectory
    private let log = QuietLog()

    init() throws {
        folder = try TemporaryDirectory()
        try write(
            "fences.geojson",
            """
            {"type":"FeatureCollection","features":[{"type":"Feature","id":"desk",
             "properties":{"name":"Desk","radius_m":60,"dwell_s":2},
             "geometry":{"type":"Point","coordinates":[8.5,47.4]}}]}
            """)
        try configure("fences_file: \(folder.file("fences.geojson"))")
    }

    private func write(_ name: String, _ text: String) throws {
        let path = folder.file(name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    private func configure(
        _ lines: String, position: String = "position: { lat: 47.4, lon: 8.5 }"
    ) throws {
        try write(
            "agent.yaml",
            """
            device: { id: library, profile: kiosk }
            state_directory: \(folder.file("deep/state"))
            socket: \(folder.file("control.sock"))
            \(position)
            \(lines)
            """)
    }

    /// An agent whose unit is looked for below the folder.
    private func agent() throws -> EmbeddedAgent {
        let read = try EmbeddedAgent(configurationFile: folder.file("agent.yaml"))
        var service = ServiceProbe(unit: "arrivals.service")
        service.root = folder.file("root")
        return EmbeddedAgent(configuration: read.configuration, log: log, service: service)
    }

    private func enableUnit() throws {
        try write("root/etc/systemd/system/arrivals.service", "[Service]\n")
        try write("root/etc/systemd/system/multi-user.target.wants/arrivals.service", "")
    }

    @Test("the example of docs/library.md runs, and is the code that is compiled here")
    func example() async throws {
        let source = try String(
            contentsOfFile: SharedFolder.projectRoot
                + "/Tests/EmbeddedAgentTests/LibraryExample.swift", encoding: .utf8)
        let page = try String(
            contentsOfFile: SharedFolder.projectRoot + "/docs/library.md", encoding: .utf8)
        #expect(page.contains("```swift\n\(source)```\n"))
        try await watchArrivals(configuredBy: folder.file("agent.yaml"))
    }

    @Test("the permission grows as the device is set up, and names what is next")
    func permissions() async throws {
        let agent = try agent()
        let first = await agent.requestPermissions()
        #expect(first.status == .grantedWhenInUse)
        #expect(first.nextAction.contains("arrivals.service"))
        #expect(FileManager.default.fileExists(atPath: agent.paths.stateDirectory), "made")
        await #expect(throws: StartError(first)) { try await agent.start() }
        #expect(await agent.status() == nil, "it runs without the permission")

        try write("root/etc/systemd/system/arrivals.service", "[Service]\n")
        let second = await agent.requestPermissions()
        #expect(second.status == .grantedWhenInUse)
        #expect(second.nextAction == "systemctl enable --now arrivals.service")

        try enableUnit()
        #expect(await agent.requestPermissions().status == .grantedAlways)
        let monitored = try await agent.start()
        #expect(monitored.fences.map(\.id) == ["desk"])
        #expect(monitored.fences.map(\.name) == ["Desk"])
        #expect(monitored.source == .file)
        #expect(await agent.requestPermissions().status == .grantedAlways, "while it runs")
        await agent.stop()
    }

    @Test("a fix of an earlier day counts, and a receiver that never gave one does not")
    func rememberedGrant() async throws {
        try configure(
            """
            fences_file: \(folder.file("fences.geojson"))
            receiver: { source: serial, path: \(folder.file("no-receiver")) }
            """, position: "")
        try enableUnit()
        let agent = try agent()
        let never = await agent.requestPermissions()
        #expect(never.status == .notDetermined)
        await #expect(throws: StartError(never)) { try await agent.start() }

        try write("deep/state/receiver-granted", "")
        let monitored = try await agent.start()
        #expect(monitored.fences.map(\.id) == ["desk"])
        await agent.stop()
    }

    @Test("a server that is away leaves nothing to monitor, and that is the answer at once")
    func noServer() async throws {
        try write("key", "a-key\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("key"))
        try configure("server: { url: 'http://127.0.0.1:9', key_file: \(folder.file("key")) }")
        let agent = try agent()
        let start = ContinuousClock.now
        let monitored = try await agent.start(
            requiring: .grantedWhenInUse, serverPatienceSeconds: 60)
        #expect(monitored.fences.isEmpty)
        #expect(monitored.source == .none)
        #expect(ContinuousClock.now - start < .seconds(45), "it waited though it was refused")
        await agent.stop()
    }

    /// Waits for what comes true within 20 s; whether it did.
    private func eventually(_ condition: () async -> Bool) async -> Bool {
        for _ in 0..<400 {
            if await condition() { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return await condition()
    }

    @Test("a queue on a disk that takes no writes is not drained, and nothing is said to be done")
    func drainOfUnwritableQueue() async throws {
        try write("deep/key", "a-key\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: folder.file("deep/key"))
        let agent = try agent()
        try await agent.startService()
        #expect(await eventually { await agent.status()?.queue.pending ?? 0 >= 1 })
        await agent.stop()
        // As a read-only file system does: the lock cannot be had, whoever asks.
        let lock = folder.file("deep/state/queue.lock")
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(
            atPath: lock, withIntermediateDirectories: false)
        try configure("server: { url: 'http://127.0.0.1:9', key_file: \(folder.file("deep/key")) }")
        let configuration = try EmbeddedAgent(configurationFile: folder.file("agent.yaml"))
            .configuration
        do {
            let report = try StoppedAgent(configuration, log: log).drain(seconds: 5)
            Issue.record("\(report)")
        } catch {
            #expect("\(error)".contains("nothing is sent: storage storageReadOnly"), "\(error)")
        }
    }

    @Test("events come in order; after close nothing comes; the agent starts again")
    func events() async throws {
        let agent = try agent()
        let (kept, dropped) = (Heard(), Heard())
        let subscription = agent.subscribe {
            kept.add($0)
        } onError: {
            kept.add($0)
        }
        let closed = agent.subscribe {
            dropped.add($0)
        } onError: {
            dropped.add($0)
        }
        closed.close()
        do {
            _ = agent.subscribe {
                dropped.add($0)
            } onError: {
                dropped.add($0)
            }
        }
        try await agent.start(requiring: .grantedWhenInUse)
        #expect(
            await eventually { kept.names == ["entered", "registered", "dwell"] }, "\(kept.names)")
        await agent.stop()
        #expect(await agent.status() == nil)

        try write("fences.geojson", #"{"type":"FeatureCollection","features":[]}"#)
        try await agent.start(requiring: .grantedWhenInUse)
        let all = ["entered", "registered", "dwell", "exited"]
        #expect(await eventually { kept.names == all }, "\(kept.names)")
        await #expect(throws: StartError.self) {
            try await agent.start(requiring: .grantedWhenInUse)
        }
        subscription.close()
        await agent.stop()
        #expect(dropped.names.isEmpty)
    }

    @Test("a configuration that is wrong is thrown with its place")
    func wrongConfiguration() throws {
        try configure("rulez: {}")
        let path = folder.file("agent.yaml")
        do {
            _ = try EmbeddedAgent(configurationFile: path)
            Issue.record("accepted")
        } catch {
            #expect(error.kind == .configuration)
            #expect(error.message.hasPrefix("\(path):5:"), "\(error)")
        }
    }
}

/// Whether a condition comes true within 20 s.
private func eventually(_ condition: () -> Bool) async -> Bool {
    for _ in 0..<400 {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(50))
    }
    return condition()
}

/// What a subscriber was told, by name.
private final class Heard: Sendable {
    private let kept = Mutex<[String]>([])

    func add(_ event: AgentEvent) {
        let name =
            switch event {
            case .registered: "registered"
            case .unregistered: "unregistered"
            case .entered: "entered"
            case .dwell: "dwell"
            case .exited: "exited"
            case .pass: "pass"
            }
        kept.withLock { $0.append(name) }
    }

    func add(_ error: AgentError) { kept.withLock { $0.append(error.code) } }

    var names: [String] { kept.withLock { $0 } }
}

private struct QuietLog: LogSink {
    func write(_ line: LogLine) {}
}
