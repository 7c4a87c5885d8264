import Geofencing
import LinuxSystem
import WireFormat

/// The fences of a device without a server.
enum FenceFile {
    /// Bytes of a fence file at most.
    private static let limit = 8 * 1024 * 1024

    /// The fences of a GeoJSON file or a file in the wire form. Throws with file and place.
    static func read(_ path: String) throws(StartError) -> [Fence] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit)
        } catch {
            throw StartError(.configuration, "fences_file: \(error)")
        }
        do throws(WireError) {
            return try FenceDocument.fences(from: bytes)
        } catch {
            throw StartError(.configuration, "fences_file \(path): \(error)")
        }
    }
}
