import Testing

@testable import LinuxSystem

@Suite("Pages of the program")
struct ProgramPagesTests {
    private func mapping(_ head: String, anonymous: Int) -> String {
        "\(head)\nSize:  4 kB\nRss:  4 kB\nAnonymous:  \(anonymous) kB\nLocked:  0 kB\n"
            + "VmFlags: rd ex mr mw me\n"
    }

    @Test(
        "only what is read, private, of a file and unchanged counts",
        arguments: [
            ("1000-3000 r-xp 00000000 fe:00 12 /usr/bin/geofenced", 0, 0x1000..<0x3000),
            ("1000-3000 r--p 00000000 fe:00 12 /usr/lib/with a blank.so", 0, 0x1000..<0x3000),
            ("1000-3000 r-xp 00000000 fe:00 12 /lib/libcurl.so.4.8.0", 0, 0x1000..<0x3000),
            ("1000-3000 r--p 00000000 fe:00 12 /usr/lib/locale/locale-archive", 0, nil),
            ("1000-3000 r--p 00000000 fe:00 12 /usr/bin/geofenced", 4, nil),
            ("1000-3000 rw-p 00000000 fe:00 12 /usr/bin/geofenced", 0, nil),
            ("1000-3000 r--s 00000000 fe:00 12 /usr/bin/geofenced", 0, nil),
            ("1000-3000 ---p 00000000 fe:00 12 /usr/bin/geofenced", 0, nil),
            ("1000-3000 r--p 00000000 00:00 0", 0, nil),
            ("1000-3000 r-xp 00000000 00:00 0 [vdso]", 0, nil),
            ("3000-1000 r-xp 00000000 fe:00 12 /usr/bin/geofenced", 0, nil),
        ] as [(String, Int, Range<UInt>?)])
    func choice(head: String, anonymous: Int, expected: Range<UInt>?) {
        let other = mapping("9000-a000 rw-p 00000000 00:00 0 [heap]", anonymous: 4)
        let text = other + mapping(head, anonymous: anonymous) + other
        #expect(
            ProgramPages.ranges(text, program: "/usr/bin/geofenced")
                == (expected.map { [$0] } ?? []))
    }

    @Test(
        "damaged text has no ranges and is no trap",
        arguments: ["", "-", "Anonymous:\n", "x-y r-xp"])
    func damaged(text: String) {
        #expect(ProgramPages.ranges(text, program: "/usr/bin/geofenced").isEmpty)
    }

    @Test("a process lets go of its pages and goes on; what it wrote stays")
    func letGo() throws {
        let pages = ProgramPages()
        let written = (0..<1000).map { "\($0)" }
        let before = try #require(ProcessFootprint.current()).residentBytes
        pages.letGo()
        let after = try #require(ProcessFootprint.current()).residentBytes
        #expect(pages.ranges.reduce(0) { $0 + $1.count } > 10_000_000)
        #expect(after < before, "\(before) to \(after) bytes")
        #expect(written == (0..<1000).map { "\($0)" })
        #expect(ProgramPages().ranges.isEmpty == false)
    }
}
