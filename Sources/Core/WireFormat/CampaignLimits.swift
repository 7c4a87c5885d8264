/// What the members of a campaign may be.
public enum CampaignLimits {
    /// Code points.
    public static let title = 1...120
    /// Code points.
    public static let body = 500
    public static let dataKeys = 50
    /// Bytes of `data` as JSON.
    public static let dataBytes = 4_096
    public static let cooldownHours = 0.0...8_760.0
    public static let maxPerDay = 1...1_000

    /// Everything that is wrong with a campaign, with pointers below it; empty: nothing.
    public static func defects(of campaign: WireCampaign) -> [Problem.Defect] {
        var defects = FenceCheck.idDefects(campaign.id.text)
        func add(_ name: String, _ detail: String) {
            defects.append(
                Problem.Defect(pointer: "/\(name)", code: "out_of_range", detail: detail))
        }
        let titleLength = campaign.title.unicodeScalars.count
        if !title.contains(titleLength) {
            add("title", "\(titleLength) characters, allowed 1 to \(title.upperBound)")
        }
        if let length = campaign.body?.unicodeScalars.count, length > body {
            add("body", "\(length) characters, allowed up to \(body)")
        }
        if let data = campaign.data {
            if data.count > dataKeys {
                add("data", "\(data.count) keys, allowed up to \(dataKeys)")
            }
            let bytes = (try? WireCoding.encode(data).count) ?? .max
            if bytes > dataBytes { add("data", "\(bytes) bytes, allowed up to \(dataBytes)") }
        }
        if let hours = campaign.cooldownHours, !cooldownHours.contains(hours) {
            add("cooldown_hours", "\(hours) is not from 0.0 to \(cooldownHours.upperBound)")
        }
        if let count = campaign.maxPerDay, !maxPerDay.contains(count) {
            add("max_per_day", "\(count) is not from 1 to \(maxPerDay.upperBound)")
        }
        if let from = campaign.validFrom?.time, let until = campaign.validUntil?.time,
            until <= from
        {
            add("valid_until", "\(until.rfc3339) is not after valid_from")
        }
        return defects
    }
}
