import Geofencing
import Positioning

/// `rules` of the configuration and of a recording's header: what may be tuned, all of it optional.
public struct WireRules: Hashable, Sendable, Codable {
    public var regionProfile: RegionProfile?
    /// 0 ... 18
    public var fenceLimit: Int?
    public var initialEnter: Fence.InitialEnter?
    public var passAs: Fence.PassPolicy?
    /// 0.1 ... 10
    public var accuracyScale: Double?
    public var acceptEstimated: Bool?
    /// 10 ... 300
    public var arriveMaxMeters: Double?
    /// 10 ... 1,000
    public var departMaxMeters: Double?
    /// Bounds of the margin that is added to the accuracy of an exit, 0 ... 500.
    public var exitMarginMinMeters: Double?
    public var exitMarginMaxMeters: Double?
    /// Fixes that confirm an exit, 1 ... 60.
    public var exitConfirmations: Int?
    /// Fixes that confirm a non-decisive arrival at speed, 1 ... 60.
    public var enterConfirmations: Int?
    public var dwellGapMaxSeconds: Double?
    public var visitGapMaxSeconds: Double?
    /// The longest outage that a visit bridges at the same place.
    public var bridgeMaxSeconds: Double?
    public var stationaryHold: Bool?

    public init() {}

    public enum CodingKeys: String, CodingKey, CaseIterable {
        case regionProfile = "region_profile"
        case fenceLimit = "fence_limit"
        case initialEnter = "initial_enter"
        case passAs = "pass_as"
        case accuracyScale = "accuracy_scale"
        case acceptEstimated = "accept_estimated"
        case arriveMaxMeters = "arrive_max_m"
        case departMaxMeters = "depart_max_m"
        case exitMarginMinMeters = "exit_margin_min_m"
        case exitMarginMaxMeters = "exit_margin_max_m"
        case exitConfirmations = "exit_confirmations"
        case enterConfirmations = "enter_confirmations"
        case dwellGapMaxSeconds = "dwell_gap_max_s"
        case visitGapMaxSeconds = "visit_gap_max_s"
        case bridgeMaxSeconds = "bridge_max_s"
        case stationaryHold = "stationary_hold"
    }

    /// Throws with the first value that is out of range.
    public func validate() throws(WireError) {
        try Self.check(fenceLimit, "fence_limit", 0...RegionBudget.limit)
        try Self.check(accuracyScale, "accuracy_scale", 0.1...10)
        try Self.check(arriveMaxMeters, "arrive_max_m", 10...300)
        try Self.check(departMaxMeters, "depart_max_m", 10...1000)
        try Self.check(exitMarginMinMeters, "exit_margin_min_m", 0...500)
        try Self.check(exitMarginMaxMeters, "exit_margin_max_m", 0...500)
        try Self.check(exitConfirmations, "exit_confirmations", 1...60)
        try Self.check(enterConfirmations, "enter_confirmations", 1...60)
        try Self.check(dwellGapMaxSeconds, "dwell_gap_max_s", 0...604_800)
        try Self.check(visitGapMaxSeconds, "visit_gap_max_s", 0...604_800)
        try Self.check(bridgeMaxSeconds, "bridge_max_s", 0...31_536_000)
        if let low = exitMarginMinMeters, let high = exitMarginMaxMeters, low > high {
            throw WireError(
                pointer: "/exit_margin_min_m", detail: "\(low) is above exit_margin_max_m \(high)")
        }
    }

    private static func check<Value: Comparable>(
        _ value: Value?, _ name: String, _ range: ClosedRange<Value>
    ) throws(WireError) {
        guard let value, !range.contains(value) else { return }
        throw WireError(
            pointer: "/\(name)",
            detail: "\(value) is out of range, allowed \(range.lowerBound)...\(range.upperBound)")
    }
}

extension WireRules {
    /// Overrides the gate's defaults where these rules speak.
    public func apply(to rules: inout FixFilterRules) {
        rules.accuracyScale = accuracyScale ?? rules.accuracyScale
        rules.acceptsEstimated = acceptEstimated ?? rules.acceptsEstimated
        rules.arriveMaxMeters = arriveMaxMeters ?? rules.arriveMaxMeters
        rules.departMaxMeters = departMaxMeters ?? rules.departMaxMeters
    }

    /// Overrides the state machine's defaults where these rules speak.
    public func apply(to rules: inout TransitionRules) {
        rules.initialEnter = initialEnter ?? rules.initialEnter
        rules.passAs = passAs ?? rules.passAs
        rules.hysteresisMaxMeters = exitMarginMaxMeters ?? rules.hysteresisMaxMeters
        rules.hysteresisMinMeters = min(
            exitMarginMinMeters ?? rules.hysteresisMinMeters, rules.hysteresisMaxMeters)
        rules.exitCount = exitConfirmations ?? rules.exitCount
        rules.fastCount = enterConfirmations ?? rules.fastCount
        rules.dwellGapMaxSeconds = dwellGapMaxSeconds ?? rules.dwellGapMaxSeconds
        rules.visitGapMaxSeconds = visitGapMaxSeconds ?? rules.visitGapMaxSeconds
        rules.bridgeMaxSeconds = bridgeMaxSeconds ?? rules.bridgeMaxSeconds
        rules.holdsStationary = stationaryHold ?? rules.holdsStationary
    }
}
