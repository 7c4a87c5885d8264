import Foundation
import TestSupport
import Testing
import Timekeeping

@testable import LinuxSystem

@Suite("System timekeeper")
struct SystemTimekeeperTests {
    @Test("the clocks are those of the machine")
    func readsTheClocks() throws {
        let timekeeper = SystemTimekeeper()
        var boot = timespec()
        clock_gettime(CLOCK_BOOTTIME, &boot)
        let uptime = timekeeper.uptime.milliseconds
        #expect(abs(uptime - (Int64(boot.tv_sec) * 1000 + Int64(boot.tv_nsec) / 1_000_000)) < 5000)
        let wall = Double(timekeeper.wallClock.time.millisecondsSince1970) / 1000
        #expect(abs(wall - Date().timeIntervalSince1970) < 5)
        #expect(timekeeper.uptime >= Uptime(milliseconds: uptime))
    }

    @Test("the boot id is the kernel's, without hyphens")
    func readsTheBootID() throws {
        let kernel = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let digits = kernel.filter { $0 != "-" && $0 != "\n" }
        #expect(SystemTimekeeper().bootID == BootID(digits))
        #expect(SystemTimekeeper().bootID == SystemTimekeeper().bootID)
    }

    @Test("without a kernel's boot id every start is a boot of its own")
    func makesABootID() throws {
        let folder = try TemporaryDirectory()
        try "short\n".write(toFile: folder.file("id"), atomically: true, encoding: .utf8)
        for path in [folder.file("id"), folder.file("absent")] {
            let first = SystemTimekeeper(bootIDPath: path, synchronisedMarker: "").bootID
            let second = SystemTimekeeper(bootIDPath: path, synchronisedMarker: "").bootID
            #expect(first != second)
            #expect(first.text.utf8.count == 32)
        }
    }
}
