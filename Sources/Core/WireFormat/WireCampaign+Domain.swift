import Campaigns

extension WireCampaign {
    /// The campaign as decisions know it; data that cannot be written again is left out.
    public var campaign: Campaign {
        Campaign(
            id: id.text, version: version ?? 1, trigger: trigger, title: title, body: body ?? "",
            data: data.flatMap { try? WireCoding.encode($0) } ?? [],
            validFrom: validFrom?.time, validUntil: validUntil?.time,
            cooldownHours: cooldownHours, maxPerDay: maxPerDay)
    }

    /// Reads one from a fence's `campaigns[]`; throws with a pointer below `pointer`.
    public static func read(
        _ value: JSONValue, at pointer: String
    ) throws(WireError) -> WireCampaign {
        do {
            return try WireCoding.decode(WireCampaign.self, from: try WireCoding.encode(value))
        } catch let error as WireError {
            throw WireError(pointer: pointer + error.pointer, detail: error.detail)
        } catch {
            throw WireError(pointer: pointer, detail: "not readable")
        }
    }
}
