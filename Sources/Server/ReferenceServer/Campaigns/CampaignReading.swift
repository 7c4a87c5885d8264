import WireFormat

/// Reads one campaign on its way in: checks everything, collects all defects.
enum CampaignReading {
    /// The campaign, or what is wrong with it, with pointers below it.
    enum Outcome {
        case campaign(WireCampaign)
        case defects([Problem.Defect])
    }

    /// `extraNames` are members that stand beside those of the campaign.
    static func read(_ value: JSONValue, extraNames: Set<String> = []) -> Outcome {
        guard case .object(var members) = value else {
            return .defects([defect("", "invalid_value", "not an object")])
        }
        // A name that is misspelled must not look as if it had been set.
        let unknown = members.keys.filter {
            !WireCampaign.names.contains($0) && !extraNames.contains($0)
        }
        guard unknown.isEmpty else {
            return .defects(
                unknown.sorted().map { defect("/\($0.prefix(80))", "unknown_name", "unknown") })
        }
        // The decoder does not say where a number stands that is not whole.
        if case .number(let count)? = members["max_per_day"], Int(exactly: count) == nil {
            return .defects([defect("/max_per_day", "invalid_value", "not a whole number")])
        }
        // The server counts versions.
        members["version"] = nil
        do {
            let text = try WireCoding.encode(JSONValue.object(members))
            let campaign = try WireCoding.decode(WireCampaign.self, from: text)
            let defects = CampaignLimits.defects(of: campaign)
            return defects.isEmpty ? .campaign(campaign) : .defects(defects)
        } catch let error as WireError {
            return .defects([defect(error.pointer, "invalid_value", error.detail)])
        } catch {
            return .defects([defect("", "invalid_value", "\(error)")])
        }
    }

    private static func defect(
        _ pointer: String, _ code: String, _ detail: String
    ) -> Problem.Defect {
        Problem.Defect(pointer: pointer, code: code, detail: detail)
    }
}
