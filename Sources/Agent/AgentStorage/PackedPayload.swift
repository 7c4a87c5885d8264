/// An event's JSON as it lies in a row of an earlier version: packed, or as it is.
///
/// JSON begins with a brace; packed, the first byte names the dictionary, and the next two are the count
/// of bytes of the JSON, high one first. Nobody writes it any more, but devices have such rows.
enum PackedPayload {
    private static let version: UInt8 = 1
    private static let header = 3

    /// Nil for bytes that are neither.
    static func unpack(_ stored: [UInt8]) -> [UInt8]? {
        guard stored.first == version else {
            return stored.first == UInt8(ascii: "{") ? stored : nil
        }
        guard stored.count >= header else { return nil }
        return Packing.unpack(
            stored[header...], count: Int(stored[1]) << 8 | Int(stored[2]), with: dictionary)
    }

    /// Of version 1, for ever.
    static let dictionary = Array(
        (#""server_notification_verdict":"rtk_fixed","rtk_float","differential","estimated""#
            + #""simulated","clock_mismatch","frozen","time_step"],"state_reset","moved""#
            + #""monotonic_only","suspect","gnss_unconfirmed","disciplined"coverage_restored"#
            + #""evicted":{"count":1,"first_seq":1,"kind":"pass","last_seq":2},"reason":"capacity""#
            + #""type":"queue_evicted""detected_at":null,"mono_ms":null,"occurred_at":null"#
            + #""wall_synchronised":false}"quiet_hours"},"cooldown"},"coverage_lost""#
            + #""notification":{"basis":{"campaign_id":"campaign-1","campaign_version":1,"#
            + #""decision":"suppressed","reason":"decision":"shown"},"#
            + #""stationary":true,"initial":true,"inferred":true,"gap_s":"silence","startup""#
            + #"{"boot_id":"","client_event_id":"","detected_at":"2026-01-01T00:00:00.000Z","#
            + #""evidence":{"accuracy_m":10,"chord_m":4,"confirmations":2,"#
            + #""rule":"pass_between_fixes","pass_inside","signed_distance_m":-2.,"span_s":0.,"#
            + #""stationary":false,"t_in":"2026-01-01T00:00:00.000Z","#
            + #""t_out":"2026-01-01T00:00:00.000Z"},"position":{"accuracy_m":2.5,"course_deg":"#
            + #""hdop":0.9,"integrity_flags":[],"satellites":12,"source":"gpsd""nmea","#
            + #""type":"pass""visit_started""visit_ended""dwell""stationary_hold""decisive""#
            + #"{"boot_id":"0123456789abcdef0123456789abcdef","client_event_id":"","#
            + #""detected_at":"2026-01-01T00:00:00.000Z","duration_s":16.315,"#
            + #""evidence":{"accuracy_m":4,"confirmations":3,"rule":"margin","#
            + #""signed_distance_m":-24.,"span_s":2,"stationary":false},"fence_id":"fence-1","#
            + #""fence_version":1,"inferred":false,"initial":false,"mono_ms":8681000,"#
            + #""notification":{"decision":"none"},"occurred_at":"2026-01-01T00:00:00.000Z","#
            + #""occurred_mono_ms":8674988,"occurred_uncertainty_s":0.4,"#
            + #""position":{"accuracy_m":4,"course_deg":90,"hdop":1.2,"integrity_flags":[],"#
            + #""lat":48.1,"lon":11.4,"quality":"autonomous","satellites":9,"source":"nmea","#
            + #""speed_mps":12.7},"queue_epoch":"","seq":100,"time_quality":"gnss","#
            + #""type":"exit","visit_id":"","wall_at":"2026-01-01T00:00:00.000Z","#
            + #""wall_synchronised":true}"type":"enter","speed_mps":0,"source":"recording","#
            + #""speed_mps":"span_s":0,"confirmations":1"#).utf8)
}
