import Delivery
import TestSupport

extension SampleEvents {
    /// As `drafts`, but of a length of which three lie in a page: for filling disks and pages.
    static func longDrafts(_ count: Int, _ kind: EventKind = .enter) -> [EventDraft] {
        drafts(count, kind).map {
            var draft = $0
            draft.reason = String(repeating: "x", count: 170)
            return draft
        }
    }
}
