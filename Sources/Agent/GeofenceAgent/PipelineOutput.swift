import Delivery
import Geofencing
import Positioning

/// What one input of the pipeline led to.
public struct PipelineOutput: Sendable {
    /// Events to commit, in order.
    public var drafts: [EventDraft] = []
    /// The decisions behind them, unreported ones included.
    public var transitions: [Transition] = []
    /// The fix with the gate's opinion of it; nil for inputs that are none.
    public var judged: FilteredFix?
    /// Earlier fixes that were held and that this one vouches for, in order.
    public var released: [FilteredFix] = []
    /// Regions that entered or left the monitored set, for the local stream.
    public var regionChanges: [RegionChange] = []
    /// Regions that the emulated monitor refused.
    public var regionErrors: [RegionError] = []
    /// Fences around the device that are beyond the number that can be monitored
    /// (`overlap_overflow`), where that changed; nil: it did not.
    public var overflow: [String]?
    /// Fences that could not be measured and are left out.
    public var refusedFences: [RefusedFence] = []
    /// A sync that is due now.
    public var sync: SyncRequest?
    /// Whether `persistedState` must be committed, in one transaction with the drafts.
    public var stateChanged = false

    public init() {}

    /// The gate's opinion of the fix; nil for inputs that are none.
    public var verdict: FixVerdict? { judged?.verdict }
}

/// A fence whose shape cannot be measured at all.
public struct RefusedFence: Hashable, Sendable {
    public var id: String
    /// What is wrong with it, with the place of the defect.
    public var message: String
}
