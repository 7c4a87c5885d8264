import Campaigns

extension AgentStatus {
    /// Who was told what since the start.
    public struct Notifications: Codable, Sendable {
        /// Campaigns of the known fences.
        public var campaigns = 0
        public var shown = 0
        /// By reason.
        public var suppressed: [String: Int] = [:]
        /// Decisions since the start of which the server thinks otherwise.
        public var disagreements = 0
        /// The newest of them last, also of earlier runs.
        public var lastDisagreements: [VerdictDisagreement] = []
        /// Zones of fences that the tz database does not have.
        public var unknownZones: [String] = []
        /// What cannot be read in the campaigns of the fences.
        public var problems: [String] = []
        /// Beside the journal and the event stream.
        public var sinks: [NotificationSinkReport] = []

        enum CodingKeys: String, CodingKey {
            case campaigns, shown, suppressed, disagreements, problems, sinks
            case lastDisagreements = "last_disagreements"
            case unknownZones = "unknown_zones"
        }
    }
}
