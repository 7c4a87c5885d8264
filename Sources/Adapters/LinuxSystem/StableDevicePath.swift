/// The name of a device that stays the same when it is plugged in again.
public enum StableDevicePath {
    /// A link under `/dev/serial/by-id`, else `/dev/serial/by-path`, that leads to the same device.
    /// Nil when there is none; `root` stands before every path, for tests.
    public static func of(_ path: String, root: String = "") -> String? {
        guard let device = RealPath.of(path) else { return nil }
        for folder in ["\(root)/dev/serial/by-id", "\(root)/dev/serial/by-path"] {
            let names = (try? FolderListing.names(in: folder)) ?? []
            let link = names.map { "\(folder)/\($0)" }.first { RealPath.of($0) == device }
            if let link { return link }
        }
        return nil
    }
}
