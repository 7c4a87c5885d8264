import Delivery
import Simulation
import Timekeeping

/// Where the queue of a simulated agent lives, beyond the ends of its program.
public protocol SimulatedStorage: AnyObject {
    /// What a start finds.
    func open(time: any Timekeeper) throws -> any EventQueue

    /// The program was killed: what it had open is gone.
    func kill() throws

    /// Lets the next transaction end the program; false: this storage cannot.
    func arm(_ fault: SimulatedDisk.Fault) -> Bool

    /// Spoils what lies there while nobody has it open; `random` is for choosing what.
    func damage(_ random: inout SeededGenerator) throws
}

/// The queue that is simulated, too.
public final class SimulatedDiskStorage: SimulatedStorage {
    private let disk: SimulatedDisk

    public init(_ disk: SimulatedDisk) {
        self.disk = disk
    }

    public func open(time: any Timekeeper) -> any EventQueue { SimulatedQueue(disk, time: time) }

    public func kill() {}

    public func arm(_ fault: SimulatedDisk.Fault) -> Bool {
        disk.fault = fault
        return true
    }

    public func damage(_ random: inout SeededGenerator) {
        let share = random.uniform()
        disk.damage { random.uniform() < share }
    }
}
