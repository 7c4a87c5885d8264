import Glibc

/// Why a serial port cannot be used.
public enum SerialLineError: Error, Hashable, CustomStringConvertible {
    case noDevice(path: String)
    case permissionDenied(path: String)
    /// `holders` is empty when nobody may tell who it is.
    case busy(path: String, holders: [DescriptorHolder])
    /// A regular file or a folder.
    case notADevice(path: String)
    case failed(SystemError)

    init(_ error: SystemError, holders: [DescriptorHolder] = []) {
        switch error.code {
        case ENOENT, ENXIO, ENODEV, ENOTDIR: self = .noDevice(path: error.subject)
        case EACCES, EPERM: self = .permissionDenied(path: error.subject)
        case EBUSY: self = .busy(path: error.subject, holders: holders)
        default: self = .failed(error)
        }
    }

    public var description: String {
        switch self {
        case .noDevice(let path): "\(path): no such device"
        case .permissionDenied(let path): "\(path): permission denied"
        case .busy(let path, let holders):
            holders.isEmpty
                ? "\(path): in use"
                : "\(path): in use by \(holders.map(\.description).joined(separator: ", "))"
        case .notADevice(let path): "\(path): not a device"
        case .failed(let error): "\(error)"
        }
    }
}
