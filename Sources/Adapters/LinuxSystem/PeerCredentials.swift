import CLinux
import Glibc

/// Who is on the other end of a Unix socket, as the kernel says (SO_PEERCRED, SO_PEERGROUPS).
public struct PeerCredentials: Hashable, Sendable {
    /// Most supplementary groups that are looked at.
    public static let maximumGroups = 1024

    public var processID: Int32
    public var userID: UInt32
    /// The primary group and all supplementary ones.
    public var groupIDs: Set<UInt32>

    public init(processID: Int32, userID: UInt32, groupIDs: Set<UInt32>) {
        self.processID = processID
        self.userID = userID
        self.groupIDs = groupIDs
    }

    /// Of a connected socket.
    init(socket: Int32) throws(SystemError) {
        var credentials = clinux_credentials()
        guard clinux_peer(socket, &credentials) == 0 else { throw .last("getsockopt") }
        var groups = [UInt32](repeating: 0, count: Self.maximumGroups)
        let count = Int(clinux_peer_groups(socket, &groups, UInt32(Self.maximumGroups)))
        self.init(
            processID: credentials.process, userID: credentials.user,
            groupIDs: Set(groups.prefix(max(0, count)) + [credentials.group]))
    }

    /// Whether the peer is root or the user that this process runs as.
    public var isOwner: Bool { userID == 0 || userID == geteuid() }

    /// Whether the peer belongs to the group; false when there is no such group.
    public func isMember(ofGroup name: String) -> Bool {
        SystemGroup.id(of: name).map(groupIDs.contains) ?? false
    }
}
