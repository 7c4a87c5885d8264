import AgentStorage
import Delivery
import FieldTools
import Foundation
import SQLite
import Simulation
import TestSupport
import Timekeeping

/// The real queue in a simulation. A killed program leaves its database and its log as they are, which
/// is what the next one is given.
final class SQLiteStorage: SimulatedStorage {
    private let root: TemporaryDirectory
    private var generation = 0

    init() throws {
        root = try TemporaryDirectory()
    }

    private var directory: String { root.file("state-\(generation)") }

    func open(time: any Timekeeper) throws -> any EventQueue {
        try SQLiteEventQueue(
            directory: directory, deviceID: "van-7", hardwareID: nil,
            limits: StorageLimits(maxBytes: 262_144, ballastBytes: 0), timekeeper: time,
            log: LogCollector())
    }

    func kill() throws {
        let old = directory
        generation += 1
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        for name in ["queue.db", "queue.db-wal"]
        where FileManager.default.fileExists(atPath: "\(old)/\(name)") {
            try FileManager.default.copyItem(
                atPath: "\(old)/\(name)", toPath: "\(directory)/\(name)")
        }
    }

    /// A transaction of SQLite ends in between where the power fails; other tests see to that.
    func arm(_ fault: SimulatedDisk.Fault) -> Bool { false }

    func damage(_ random: inout Simulation.SeededGenerator) throws {
        let path = "\(directory)/queue.db"
        try Connection(path: path).checkpoint(.truncate)
        guard var bytes = SharedFolder.readFile(path), bytes.count > 4096 else { return }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes = Array(bytes.prefix(bytes.count / 2048 * 1024))
        case 1: for index in 0..<100 { bytes[index] = 0 }
        default:
            let page = Int.random(in: 1..<(bytes.count / 1024), using: &random) * 1024
            for index in page..<(page + 1024) {
                bytes[index] = UInt8.random(in: 0...255, using: &random)
            }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
    }
}
