import SQLite

/// Room for the clock anchors of one device: no quota counts them, so they must end somewhere. None
/// is refused; what is worth least makes way.
struct AnchorRoom {
    /// Anchors of one boot. When there are so many, every second one goes, of those by GNSS and of all
    /// others: a moment is still resolved by one that is nearly as near. What else a source is called
    /// makes no difference, for a device may call each of them something else.
    static let anchorsOfBoot = 10_000
    /// Boots with anchors and without events, as of two hundred starts a day in the 90 days for which
    /// events are kept. When there are so many, the oldest of them go.
    static let boots = 20_000
    /// Boots that go at the same time.
    static let clearedBoots = 1_000

    let device: Int64
    let connection: Connection
    private var counts: [ExactText: Int] = [:]
    /// Nil: not counted yet.
    private var idleBoots: Int?

    init(device: Int64, connection: Connection) {
        self.device = device
        self.connection = connection
    }

    /// Makes room for one more anchor. True: it is the first of its boot.
    mutating func make(for boot: String) throws -> Bool {
        let name = ExactText(boot)
        let known = try counts[name] ?? countAnchors(of: boot)
        counts[name] = known + 1
        if known == 0 { try makeRoomForBoot() }
        if known >= Self.anchorsOfBoot {
            // Those that came once more are counted, and are no more rows.
            if try countAnchors(of: boot) >= Self.anchorsOfBoot { try thin(boot) }
            counts[name] = nil
        }
        return known == 0
    }

    private func countAnchors(of boot: String) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM anchors WHERE device = ? AND boot_id = ?", device, boot
        ) { $0.int(0) } ?? 0
    }

    private func thin(_ boot: String) throws {
        try connection.run(
            """
            DELETE FROM anchors WHERE device = ? AND boot_id = ? AND mono_ms IN
                (SELECT mono_ms FROM (SELECT mono_ms,
                    row_number() OVER (PARTITION BY source = 'gnss' ORDER BY mono_ms) AS place
                    FROM anchors WHERE device = ? AND boot_id = ?) WHERE place % 2 = 0)
            """, device, boot, device, boot)
    }

    private mutating func makeRoomForBoot() throws {
        let count = try idleBoots ?? countIdleBoots()
        idleBoots = count + 1
        guard count >= Self.boots else { return }
        try connection.run(
            """
            DELETE FROM anchors WHERE device = ? AND boot_id IN
                (SELECT boot_id FROM anchors WHERE device = ? AND \(Self.isIdle)
                    GROUP BY boot_id ORDER BY max(utc_ms), boot_id LIMIT ?)
            """, device, device, Self.clearedBoots)
        idleBoots = nil
    }

    private func countIdleBoots() throws -> Int {
        try connection.first(
            "SELECT count(DISTINCT boot_id) FROM anchors WHERE device = ? AND \(Self.isIdle)",
            device
        ) { $0.int(0) } ?? 0
    }

    /// Whether no event of the boot is kept: a row in `boots` goes with the last one.
    private static let isIdle = """
        NOT EXISTS (SELECT 1 FROM boots b
            WHERE b.device = anchors.device AND b.boot_id = anchors.boot_id)
        """
}
