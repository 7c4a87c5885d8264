import Foundation
import TestSupport
import Testing
import Timekeeping

@testable import LinuxSystem

@Suite("The machine's tz database")
struct ZoneinfoFolderTests {
    @Test(
        "zones are read by name",
        .enabled(if: FileManager.default.fileExists(atPath: ZoneinfoFolder.systemPath)))
    func zones() throws {
        let folder = ZoneinfoFolder()
        let time = try #require(UTCTime(rfc3339: "2024-07-01T12:00:00Z"))
        let expected: [(String, Int)] = [
            ("Europe/Berlin", 7200), ("Asia/Kathmandu", 20_700), ("Etc/UTC", 0),
            ("America/New_York", -14_400),
        ]
        for (name, offset) in expected {
            let name = try #require(TimeZoneName(name))
            let rules = try #require(folder.rules(of: name), "\(name)")
            #expect(rules.offsetSeconds(at: time) == offset, "\(name)")
        }
        #expect(folder.cachedCount == expected.count)
        for name in ["Europe/Atlantis", "Europe", "leapseconds"] {
            let name = try #require(TimeZoneName(name))
            #expect(folder.rules(of: name) == nil, "\(name)")
        }
    }

    @Test("links are followed, what is kept is bounded, and a late zone is found")
    func cache() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let folder = ZoneinfoFolder(path: path)
        let name = try #require(TimeZoneName("Zone"))
        #expect(folder.rules(of: name) == nil)
        let file = Array("TZif".utf8) + [0] + [UInt8](repeating: 0, count: 15 + 16)
        let bytes = file + [0, 0, 0, 1, 0, 0, 0, 1] + [0, 0, 0x0E, 0x10, 0, 0] + [0]
        #expect(FileManager.default.createFile(atPath: "\(path)/real", contents: Data(bytes)))
        try FileManager.default.createSymbolicLink(
            atPath: "\(path)/Zone", withDestinationPath: "real")
        #expect(
            folder.rules(of: name)?.offsetSeconds(at: UTCTime(millisecondsSince1970: 0)) == 3600)
        for index in 0..<200 {
            let other = "Z\(index)"
            #expect(
                FileManager.default.createFile(atPath: "\(path)/\(other)", contents: Data(bytes)))
            let name = try #require(TimeZoneName(other))
            #expect(folder.rules(of: name) != nil)
            #expect(folder.cachedCount <= ZoneinfoFolder.cacheLimit)
        }
    }
}
