import SQLite
import WireFormat

/// The tables of the server's database, step by step.
enum ServerSchema {
    static var migrations: [Migration] {
        [
            Migration(version: 1, script: version1), Migration(version: 2, script: version2),
            Migration(version: 3, script: version3), Migration(version: 4, apply: addAudiences),
            Migration(version: 5, script: version5), Migration(version: 6, script: version6),
            Migration(version: 7, script: epochSpans),
            Migration(version: 8, apply: addGrounds), Migration(version: 9, script: eventOrder),
        ]
    }

    /// Campaigns, and the verdict on each event's notification.
    private static let version2 = """
        CREATE TABLE campaigns (
            id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL,
            campaign_id TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL,
            document BLOB NOT NULL, content_hash BLOB NOT NULL,
            UNIQUE (workspace, campaign_id)
        ) STRICT;
        CREATE TABLE campaign_fences (
            campaign INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
            fence INTEGER NOT NULL REFERENCES fences (id) ON DELETE CASCADE,
            PRIMARY KEY (campaign, fence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX campaigns_of_fence ON campaign_fences (fence);
        ALTER TABLE events ADD COLUMN verdict TEXT NOT NULL DEFAULT 'not_applicable';
        """

    /// What was allowed, from which cooldowns and caps count.
    private static let version3 = """
        CREATE TABLE notification_claims (
            event INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, subject TEXT NOT NULL,
            fence_id TEXT NOT NULL, campaign_id TEXT NOT NULL, occurred_ms INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX claims_of_fence
            ON notification_claims (workspace, subject, fence_id, occurred_ms);
        CREATE INDEX claims_of_campaign
            ON notification_claims (workspace, subject, campaign_id, occurred_ms);
        """

    /// Whom fences are for; until then everybody got every fence.
    private static func addAudiences(to connection: Connection) throws(SQLiteError) {
        try connection.execute(
            """
            ALTER TABLE fences ADD COLUMN restricted INTEGER NOT NULL DEFAULT 0;
            CREATE TABLE fence_audience (
                fence INTEGER NOT NULL REFERENCES fences (id) ON DELETE CASCADE,
                member TEXT NOT NULL, PRIMARY KEY (fence, member)
            ) STRICT, WITHOUT ROWID;
            CREATE INDEX fences_of_member ON fence_audience (member);
            CREATE TABLE device_tags (
                device INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY (device, tag)
            ) STRICT, WITHOUT ROWID;
            """)
        let fences = try connection.query("SELECT id, document FROM fences") {
            (rowID: $0.int64(0), document: $0.blob(1))
        }
        for fence in fences {
            // An audience that says nothing that is understood now stays without effect.
            guard let wire = try? WireCoding.decode(WireFence.self, from: fence.document),
                let audience = try? FenceAudience(wire.audience)
            else { continue }
            try SQLiteServerStore.setAudience(
                audience.members, ofFence: fence.rowID, on: connection)
        }
    }

    private static let version5 = """
        CREATE TABLE provision_codes (
            hash BLOB PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspaces (id),
            device_id TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL,
            used_ms INTEGER
        ) STRICT, WITHOUT ROWID;
        """

    /// Answers to admin POSTs with a key of their own, and what the daily job searches by.
    private static let version6 = """
        CREATE TABLE kept_answers (
            workspace INTEGER NOT NULL, key TEXT NOT NULL, hash BLOB NOT NULL,
            created_ms INTEGER NOT NULL, status INTEGER, content_type TEXT, body BLOB,
            PRIMARY KEY (workspace, key)
        ) STRICT;
        CREATE INDEX events_of_visit ON events (device, visit_id) WHERE visit_id IS NOT NULL;
        """

    private static let version1 = """
        CREATE TABLE workspaces (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, plan TEXT NOT NULL,
            trial_ends_ms INTEGER, max_fences INTEGER NOT NULL, max_keys INTEGER NOT NULL,
            max_devices INTEGER, max_events_month INTEGER, created_ms INTEGER NOT NULL,
            config_revision INTEGER NOT NULL DEFAULT 0, config BLOB
        ) STRICT;
        CREATE TABLE keys (
            id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL REFERENCES workspaces (id),
            scope TEXT NOT NULL, hash BLOB NOT NULL UNIQUE, last_four TEXT NOT NULL,
            device_id TEXT, created_ms INTEGER NOT NULL, expires_ms INTEGER, revoked_ms INTEGER
        ) STRICT;
        CREATE INDEX keys_of_workspace ON keys (workspace);
        -- Ids are never used again, so a prepared shape can be cached under one.
        CREATE TABLE fences (
            id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL,
            fence_id TEXT NOT NULL, version INTEGER NOT NULL, created_ms INTEGER NOT NULL,
            expires_ms INTEGER, document BLOB NOT NULL, content_hash BLOB NOT NULL,
            tag INTEGER NOT NULL, boxes INTEGER NOT NULL,
            UNIQUE (workspace, fence_id)
        ) STRICT;
        -- The workspace is a dimension of its own, so that a search never leaves it. Coordinates
        -- are 32-bit floats that SQLite rounds outwards; a workspace's number is exact to 2^24.
        CREATE VIRTUAL TABLE fence_index USING rtree (
            id, west, east, south, north, first_workspace, last_workspace, +fence INTEGER
        );
        CREATE TABLE devices (
            id INTEGER PRIMARY KEY, workspace INTEGER NOT NULL, device_id TEXT NOT NULL,
            user_id TEXT, agent TEXT, first_seen_ms INTEGER NOT NULL,
            last_seen_ms INTEGER NOT NULL, pending INTEGER, dead INTEGER,
            heartbeat BLOB, heartbeat_ms INTEGER,
            UNIQUE (workspace, device_id)
        ) STRICT;
        CREATE TABLE epochs (
            id INTEGER PRIMARY KEY, device INTEGER NOT NULL REFERENCES devices (id),
            epoch TEXT NOT NULL, ordinal INTEGER NOT NULL, first_seen_ms INTEGER NOT NULL,
            UNIQUE (device, epoch), UNIQUE (device, ordinal)
        ) STRICT;
        CREATE TABLE anchors (
            device INTEGER NOT NULL, boot_id TEXT NOT NULL, mono_ms INTEGER NOT NULL,
            utc_ms INTEGER NOT NULL, source TEXT NOT NULL,
            PRIMARY KEY (device, boot_id, mono_ms)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE events (
            id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL,
            client_event_id TEXT NOT NULL, payload_hash BLOB NOT NULL,
            device INTEGER NOT NULL, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            boot_id TEXT NOT NULL, type TEXT NOT NULL, fence_id TEXT, visit_id TEXT,
            occurred_ms INTEGER, occurred_mono_ms INTEGER, detected_ms INTEGER, mono_ms INTEGER,
            received_ms INTEGER NOT NULL, batch_id TEXT NOT NULL, document BLOB NOT NULL,
            UNIQUE (workspace, client_event_id)
        ) STRICT;
        CREATE INDEX events_of_workspace ON events (workspace);
        CREATE INDEX events_of_device ON events (device, epoch, seq);
        CREATE TABLE visits (
            id INTEGER PRIMARY KEY AUTOINCREMENT, workspace INTEGER NOT NULL,
            device INTEGER NOT NULL, visit_id TEXT NOT NULL, fence_id TEXT,
            has_start INTEGER NOT NULL DEFAULT 0, start_ms INTEGER, start_mono_ms INTEGER,
            start_boot TEXT, start_epoch INTEGER, start_seq INTEGER,
            has_end INTEGER NOT NULL DEFAULT 0, end_ms INTEGER, end_mono_ms INTEGER,
            end_boot TEXT, duration_s REAL, inferred INTEGER NOT NULL DEFAULT 0, end_reason TEXT,
            UNIQUE (device, visit_id)
        ) STRICT;
        CREATE INDEX visits_of_workspace ON visits (workspace);
        CREATE INDEX visits_of_fence ON visits (device, fence_id, start_epoch, start_seq);
        CREATE TABLE occupancy (
            device INTEGER NOT NULL, fence_id TEXT NOT NULL, inside INTEGER NOT NULL,
            epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            PRIMARY KEY (device, fence_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE usage (
            workspace INTEGER NOT NULL, month INTEGER NOT NULL, events INTEGER NOT NULL,
            PRIMARY KEY (workspace, month)
        ) STRICT, WITHOUT ROWID;
        """
}
