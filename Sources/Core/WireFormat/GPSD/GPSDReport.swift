/// One line of gpsd's JSON, as far as it matters here.
public enum GPSDReport: Hashable, Sendable {
    case position(GPSDPosition)
    case sky(GPSDSky)
    case errors(GPSDErrors)
    /// A receiver was opened, closed or set.
    case device(GPSDDevice)
    /// All receivers that gpsd knows: at the start, and in answer to `?DEVICES;`.
    case devices([GPSDDevice])
    /// The release, "3.22".
    case version(String)
    /// What gpsd could not do.
    case failure(String)
    /// A class that says nothing about the position, or a line that is no report (`$GPRMC` and the
    /// like, where somebody asked for them).
    case other
    /// No JSON object with a class, or one with a member of the wrong type.
    case malformed

    private static let greatestDeviceCount = 64

    /// Reads one line, with or without its line feed.
    public init(line: ArraySlice<UInt8>) {
        let line = line.drop { $0 == 0x20 || $0 == 0x09 }
        switch line.first {
        case nil, 0x0D, 0x0A, UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "#"):
            self = .other
            return
        default: break
        }
        guard let object = JSONObjectScanner(line), let name = object.text("class") else {
            self = .malformed
            return
        }
        var members = GPSDMembers(object)
        self = Self.report(of: name, &members) ?? .malformed
    }

    private static func report(of name: String, _ members: inout GPSDMembers) -> GPSDReport? {
        switch name {
        case "TPV": return GPSDPosition(&members).map(GPSDReport.position)
        case "SKY": return GPSDSky(&members).map(GPSDReport.sky)
        case "GST": return GPSDErrors(&members).map(GPSDReport.errors)
        case "DEVICE": return GPSDDevice(&members).map(GPSDReport.device)
        case "DEVICES": return devices(&members).map(GPSDReport.devices)
        case "VERSION": return members.text("release").map(GPSDReport.version) ?? .other
        case "ERROR": return members.text("message").map(GPSDReport.failure) ?? .other
        default: return .other
        }
    }

    private static func devices(_ members: inout GPSDMembers) -> [GPSDDevice]? {
        let list = members.objects("devices", limit: greatestDeviceCount)
        guard !members.isMalformed else { return nil }
        var devices: [GPSDDevice] = []
        for bytes in list {
            guard let object = JSONObjectScanner(bytes) else { return nil }
            var members = GPSDMembers(object)
            guard let device = GPSDDevice(&members) else { return nil }
            devices.append(device)
        }
        return devices
    }
}
