/// The network of a machine as its kernel shows it: what decides whether a server may be reached.
public struct NetworkView: Hashable, Sendable {
    /// Each default route over an interface that is up, in words: "eth0 via 10.0.0.1".
    public var defaultRoutes: [String]
    /// Addresses of the interfaces of these routes, in words.
    public var addresses: Set<String>

    public init(defaultRoutes: [String], addresses: Set<String> = []) {
        self.defaultRoutes = defaultRoutes
        self.addresses = addresses
    }

    public var hasRoute: Bool { !defaultRoutes.isEmpty }
}

/// What has become of the network since it was told last.
public struct NetworkNews: Hashable, Sendable {
    public var hasRoute: Bool
    /// The machine was suspended meanwhile: whatever the network looks like, connections are dead.
    public var isResumed: Bool

    public init(hasRoute: Bool, isResumed: Bool = false) {
        self.hasRoute = hasRoute
        self.isResumed = isResumed
    }
}
