import Synchronization
import Timekeeping
import WebServer
import WireFormat

/// Everything that is kept of a device as one JSON document, piece by piece.
enum DeviceExport {
    /// Rows that are looked at in one piece.
    static let pieceSize = 500

    private enum Section: String, CaseIterable {
        case events, visits
        case anchors = "clock_anchors"
        case claims = "notification_claims"
    }

    /// Where the document has got to.
    private struct Position: Sendable {
        /// The section that is being written and those to come.
        var sections = Section.allCases[...]
        var receipt: Int64?
        var anchor: StoredAnchor?
        var isBegun = false
        var hasElements = false
    }

    static func stream(
        _ device: StoredDevice, of workspace: Int64, from store: any ServerStore
    ) -> BodyStream {
        let position = Mutex(Position())
        return BodyStream {
            var next = position.withLock { $0 }
            guard let section = next.sections.first else { return nil }
            var text: [UInt8] = []
            if !next.isBegun {
                text += Array("{\"device\":".utf8) + AdminRecordRoutes.document(device)
                text += opening(section)
                next.isBegun = true
            }
            let (elements, isLast) = try piece(
                section, of: device.id, in: workspace, from: store, position: &next)
            for element in elements {
                if next.hasElements { text.append(UInt8(ascii: ",")) }
                text += element
                next.hasElements = true
            }
            if isLast {
                let rest = next.sections.dropFirst()
                text += Array("]".utf8) + (rest.first.map(opening) ?? Array("}".utf8))
                next = Position(sections: rest, isBegun: true)
            }
            let reached = next
            position.withLock { $0 = reached }
            return text
        }
    }

    private static func opening(_ section: Section) -> [UInt8] {
        Array(",\"\(section.rawValue)\":[".utf8)
    }

    private static func piece(
        _ section: Section, of device: String, in workspace: Int64, from store: any ServerStore,
        position: inout Position
    ) throws -> (elements: [[UInt8]], isLast: Bool) {
        switch section {
        case .events:
            var filter = EventFilter()
            filter.deviceID = device
            filter.cursor = position.receipt
            filter.limit = pieceSize
            let (events, next) = try store.eventPiece(filter, of: workspace)
            position.receipt = next
            return (events.map(AdminRecordRoutes.document), next == nil)
        case .visits:
            var filter = VisitFilter()
            filter.deviceID = device
            filter.cursor = position.receipt
            filter.limit = pieceSize
            let (visits, next) = try store.visitPiece(filter, of: workspace)
            position.receipt = next
            return (visits.map(AdminRecordRoutes.document), next == nil)
        case .anchors:
            let anchors = try store.anchors(
                ofDevice: device, of: workspace, after: position.anchor, limit: pieceSize)
            position.anchor = anchors.last
            return (anchors.map(document), anchors.count < pieceSize)
        case .claims:
            let (claims, next) = try store.claimPiece(
                ofDevice: device, of: workspace, after: position.receipt, limit: pieceSize)
            position.receipt = next
            return (claims.map(document), next == nil)
        }
    }

    private static func document(_ anchor: StoredAnchor) -> [UInt8] {
        JSONObjectText.prefixing(
            [
                ("boot_id", .string(anchor.bootID)),
                ("mono_ms", .integer(anchor.monoMilliseconds)),
                ("utc", .string(anchor.utc.rfc3339)), ("source", .string(anchor.source)),
            ], to: Array("{}".utf8))
    }

    private static func document(_ claim: StoredClaim) -> [UInt8] {
        JSONObjectText.prefixing(
            [
                ("receipt", .integer(claim.receipt)), ("fence_id", .string(claim.fenceID)),
                ("campaign_id", .string(claim.campaignID)),
                ("occurred_at", .string(claim.occurredAt.rfc3339)),
            ], to: Array("{}".utf8))
    }
}
