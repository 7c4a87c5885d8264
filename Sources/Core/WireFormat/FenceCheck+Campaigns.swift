extension FenceCheck {
    /// What is wrong with what a fence has to tell, and when it may.
    static func noticeDefects(of wire: WireFence) -> [Problem.Defect] {
        let names = [
            "/active_windows", "/quiet_hours", "/cooldown_hours", "/timezone", "/priority",
        ]
        return FenceLimits.defects(of: wire).filter { defect in
            names.contains { defect.pointer.hasPrefix($0) }
        } + campaignDefects(of: wire)
    }

    /// What is wrong with the campaigns that a fence carries, with pointers below the fence.
    static func campaignDefects(of wire: WireFence) -> [Problem.Defect] {
        (wire.campaigns ?? []).enumerated().flatMap { index, value in
            defects(of: value, at: "/campaigns/\(index)")
        }
    }

    private static func defects(of value: JSONValue, at pointer: String) -> [Problem.Defect] {
        do throws(WireError) {
            let campaign = try WireCampaign.read(value, at: pointer)
            return CampaignLimits.defects(of: campaign).map { defect in
                var defect = defect
                defect.pointer = pointer + defect.pointer
                return defect
            }
        } catch {
            return [
                Problem.Defect(
                    pointer: error.pointer, code: "invalid_value", detail: error.detail)
            ]
        }
    }
}
