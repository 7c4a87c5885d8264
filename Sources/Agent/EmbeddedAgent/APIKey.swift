import Glibc
import LinuxSystem

/// The device key, from a file that others cannot read.
public enum APIKey {
    /// Bytes of a key file at most.
    private static let limit = 4096

    /// The first line of the file.
    public static func read(_ path: String) throws(APIKeyError) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else { throw APIKeyError(path, .unreadable(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw APIKeyError(path, .notAFile) }
        let mode = status.st_mode & 0o777
        guard mode & 0o027 == 0 else { throw APIKeyError(path, .tooOpen(mode: mode)) }
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit)
        } catch {
            throw APIKeyError(path, .unreadable(error.code))
        }
        let blank: [UInt8] = [9, 13, 32]
        let line = bytes.prefix { $0 != 10 }.drop { blank.contains($0) }
        let key = line.reversed().drop { blank.contains($0) }.reversed()
        guard !key.isEmpty else { throw APIKeyError(path, .empty) }
        guard key.allSatisfy({ $0 > 32 && $0 < 127 }) else { throw APIKeyError(path, .noKey) }
        return String(decoding: key, as: UTF8.self)
    }
}

/// Why a key file gives no key. The key itself is in none of the words.
public struct APIKeyError: Error, Hashable, CustomStringConvertible {
    public var path: String
    public var reason: Reason

    init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    public enum Reason: Hashable, Sendable {
        /// The errno of stat, open or read.
        case unreadable(Int32)
        case notAFile
        /// Others than the owner may read it, or others than the owner and the group's readers
        /// may do anything with it.
        case tooOpen(mode: mode_t)
        case empty
        /// Holds characters that a key cannot have.
        case noKey
    }

    /// What is wrong, without the path.
    public var problem: String {
        switch reason {
        case .unreadable(let code): String(cString: strerror(code))
        case .notAFile: "not a regular file"
        case .tooOpen(let mode):
            "mode 0\(String(mode, radix: 8)) lets others at the key, allowed 0600 or 0640"
        case .empty: "holds no key"
        case .noKey: "holds something that is no key"
        }
    }

    /// What a person does about it.
    public var remedy: String {
        switch reason {
        case .unreadable(ENOENT), .empty, .noKey, .notAFile:
            "write the device key, one line, to \(path) (mode 0600)"
        case .unreadable: "let the agent's user read \(path), or use LoadCredential="
        case .tooOpen: "chmod 0600 \(path), and issue a new key if others use this machine"
        }
    }

    public var description: String { "server.key_file \(path): \(problem)" }
}
