import Glibc

/// The pages of this program and its libraries that are only read: code and constants.
///
/// The kernel maps sixteen pages around each that is touched, and keeps what is mapped in memory
/// longer than the rest of its cache. A start touches nearly all of them, steady work a third.
public struct ProgramPages: Sendable {
    let ranges: [Range<UInt>]

    /// Those of the files that are mapped now. Libraries that are loaded later may be unloaded again,
    /// so it is made when a program starts. None where /proc is not mounted.
    public init() {
        let text = (try? FileContents.read("/proc/self/smaps", limit: Self.limit)) ?? []
        ranges = Self.ranges(
            String(decoding: text, as: UTF8.self), program: RealPath.of("/proc/self/exe"))
    }

    /// Unmaps them until they are touched again, which costs no reading as long as the kernel has
    /// memory to keep them. Threads may run meanwhile.
    public func letGo() {
        for range in ranges {
            let start = UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            _ = madvise(start, Int(range.count), Int32(MADV_DONTNEED))
        }
    }

    /// Of smaps (proc_pid_smaps(5)): private, not writable, of `program` or a library, and without a
    /// page that differs from the file, as the dynamic linker makes them before it protects them.
    static func ranges(_ smaps: String, program: String?) -> [Range<UInt>] {
        var found: [Range<UInt>] = []
        var candidate: Range<UInt>?
        for line in smaps.split(separator: "\n") {
            let words = line.split(separator: " ")
            if let range = words.first.flatMap({ addresses($0) }), words.count >= 5 {
                let isRead = words[1].hasPrefix("r-") && words[1].hasSuffix("p")
                let file = words.dropFirst(5).joined(separator: " ")
                candidate = isRead && isCode(file, program) ? range : nil
            } else if words.first == "Anonymous:", let range = candidate.take() {
                if words.dropFirst().first == "0" { found.append(range) }
            }
        }
        return found
    }

    /// Other files that are mapped may be unmapped again, and something else be put there.
    private static func isCode(_ file: String, _ program: String?) -> Bool {
        if file == program { return true }
        let name = file.split(separator: "/").last ?? ""
        return file.hasPrefix("/")
            && name.split(separator: ".", omittingEmptySubsequences: false).contains("so")
    }

    /// "7f5b2e1000-7f5b2e2000"
    private static func addresses(_ text: Substring) -> Range<UInt>? {
        let ends = text.split(separator: "-").map { UInt($0, radix: 16) }
        guard ends.count == 2, let start = ends[0], let end = ends[1], start < end else {
            return nil
        }
        return start..<end
    }

    /// Bytes; a process has some 200 mappings of 700 bytes each.
    private static let limit = 1 << 20
}
