import Geofencing
import LinuxSystem
import WireFormat

/// The fences of a device without a server.
enum FenceFile {
    /// Bytes of a fence file at most.
    private static let limit = 8 * 1024 * 1024

    /// The fences of a GeoJSON file or a file in the wire form. Throws with file and place, also
    /// where only one of the fences cannot be monitored: a fence that is silently missing is an
    /// arrival that nobody is told of.
    static func read(_ path: String) throws(StartError) -> [Fence] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit)
        } catch {
            throw StartError(.configuration, "fences_file \(path): \(error.reason)")
        }
        do throws(WireError) {
            return try FenceDocument.soundFences(from: bytes)
        } catch {
            throw StartError(.configuration, "fences_file \(path): \(error)")
        }
    }
}
