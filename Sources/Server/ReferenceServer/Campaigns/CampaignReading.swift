import WireFormat

/// Reads one campaign on its way in: checks everything, collects all defects.
enum CampaignReading {
    /// The campaign, or what is wrong with it, with pointers below it.
    enum Outcome {
        case campaign(WireCampaign)
        case defects([Problem.Defect])
    }

    /// `id` stands where the campaign has none; `extraNames` are members that stand beside those of
    /// the campaign.
    static func read(
        _ node: JSONNode, id: String? = nil, extraNames: Set<String> = []
    ) -> Outcome {
        guard node.kind == .object else {
            return .defects([defect("", "invalid_value", "not an object")])
        }
        let members = node.members
        // A name that is misspelled must not look as if it had been set.
        let unknown = members.map(\.name).filter {
            !WireCampaign.names.contains($0) && !extraNames.contains($0)
        }
        guard unknown.isEmpty else {
            return .defects(
                unknown.map { defect(JSONPointer.step($0), "unknown_name", "unknown") })
        }
        // The decoder does not say where a number stands that is not whole.
        if let count = members.first(where: { $0.name == "max_per_day" })?.value,
            count.kind == .number, (try? WireCoding.decode(Int.self, from: count.text)) == nil
        {
            return .defects([defect("/max_per_day", "invalid_value", "not a whole number")])
        }
        do {
            let campaign = try WireCoding.decode(
                WireCampaign.self, from: text(of: members, id: id))
            let defects = CampaignLimits.defects(of: campaign)
            return defects.isEmpty ? .campaign(campaign) : .defects(defects)
        } catch {
            return .defects([defect(error.pointer, "invalid_value", error.detail)])
        }
    }

    /// What is read of it: the server counts versions, and null counts as absent.
    private static func text(
        of members: [(name: String, value: JSONNode)], id: String?
    ) -> [UInt8] {
        var kept: [(name: String, value: JSONScalar)] =
            members.filter { $0.name != "version" && $0.value.kind != .null }
            .map { ($0.name, .raw(Array($0.value.text))) }
        if let id, !kept.contains(where: { $0.name == "id" }) { kept.append(("id", .string(id))) }
        return JSONObjectText.prefixing(kept, to: Array("{}".utf8))
    }

    private static func defect(
        _ pointer: String, _ code: String, _ detail: String
    ) -> Problem.Defect {
        Problem.Defect(pointer: pointer, code: code, detail: detail)
    }
}
