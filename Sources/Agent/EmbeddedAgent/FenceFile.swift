import Geofencing
import LinuxSystem
import WireFormat

/// The fences of a device without a server.
enum FenceFile {
    /// Bytes of a fence file at most.
    private static let limit = 8 * 1024 * 1024

    /// The fences of a GeoJSON file or a file in the wire form. Throws with file and pointer, also
    /// where only one of the fences cannot be monitored: a fence that is silently missing is an
    /// arrival that nobody is told of. The error is for the journal, so it has no coordinate.
    static func read(_ path: String) throws(StartError) -> [Fence] {
        do throws(WireError) {
            return try fences(path)
        } catch {
            throw StartError(.configuration, "fences_file \(path): \(error)")
        }
    }

    /// What the fences of the file have to tell.
    static func notices(_ path: String) throws(StartError) -> NoticeSet {
        do throws(WireError) {
            let fences = try FenceDocument.wireFences(in: try bytes(path))
            return NoticeSet(fences.map(\.wire))
        } catch {
            throw StartError(.configuration, "fences_file \(path): \(error)")
        }
    }

    /// The same, with the place on Earth in the error where the defect has one.
    static func fences(_ path: String) throws(WireError) -> [Fence] {
        try FenceDocument.soundFences(from: try bytes(path))
    }

    private static func bytes(_ path: String) throws(WireError) -> [UInt8] {
        do throws(SystemError) {
            return try FileContents.read(path, limit: limit)
        } catch {
            throw WireError(pointer: "", detail: error.reason)
        }
    }
}
