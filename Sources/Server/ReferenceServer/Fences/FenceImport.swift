import Timekeeping
import WireFormat

/// GeoJSON in and out of a store, for the routes and for the command line.
public enum FenceImport {
    /// Nothing was changed: what is wrong, each with its pointer.
    public struct Refusal: Error, Sendable {
        public var defects: [String]
    }

    /// What was changed, and what was noticed.
    public struct Report: Sendable {
        public var changes: FenceChanges
        /// One sentence each, with the id of the fence.
        public var warnings: [String]
        /// The answer of the routes.
        public var json: [UInt8]
    }

    /// Reads a whole FeatureCollection. Throws `Refusal` where it is not one, or a fence is wrong,
    /// and `StoreError`.
    public static func run(
        _ bytes: [UInt8], replacingAll: Bool, into workspace: Int64, of store: any FenceStore,
        now: UTCTime
    ) throws -> Report {
        do {
            let document = try JSONDocument(bytes)
            return try run(
                document, replacingAll: replacingAll, into: workspace, of: store, now: now)
        } catch let error as JSONSyntaxError {
            throw Refusal(defects: ["line \(error.line), column \(error.column): \(error.detail)"])
        } catch let problem as RequestProblem {
            throw Refusal(
                defects: problem.errors.isEmpty
                    ? [problem.detail] : problem.errors.map(\.placedDescription))
        }
    }

    static func run(
        _ document: JSONDocument, replacingAll: Bool, into workspace: Int64,
        of store: any FenceStore, now: UTCTime
    ) throws -> Report {
        let root = document.root
        guard root.member("type")?.string == "FeatureCollection",
            let features = root.member("features"), features.kind == .array
        else { throw RequestProblem.invalid("", "not a GeoJSON FeatureCollection") }
        var reading = FenceReading(zones: store.zones, now: now)
        var foreign = ForeignNames()
        for (index, feature) in features.elements.enumerated() {
            foreign.note(feature, at: "/features/\(index)")
            reading.read(GeoJSONFences.wireText(of: feature)) {
                "/features/\(index)\(FencePlace.featureMember($0))"
            }
        }
        let drafts = try reading.checked()
        let changes = try store.putFences(
            drafts, replacingAll: replacingAll, in: workspace, now: now)
        let warnings =
            reading.warnings + foreign.warnings
            + FenceSurroundings(store: store, workspace: workspace)
            .warnings(about: drafts, created: changes.created)
        return Report(
            changes: changes, warnings: warnings.map { "\($0.fenceID): \($0.detail)" },
            json: json(changes, warnings))
    }

    private static func json(
        _ changes: FenceChanges, _ warnings: [FenceReading.Warning]
    ) -> [UInt8] {
        JSONObjectText.prefixing(
            [
                ("total", .integer(Int64(changes.total))),
                ("created", .strings(changes.created)), ("updated", .strings(changes.updated)),
                ("unchanged", .strings(changes.unchanged)),
                ("deleted", .strings(changes.deleted)),
                ("warnings", .array(warnings.map(\.document))),
            ], to: Array("{}".utf8))
    }

    /// All fences of a workspace as a FeatureCollection.
    public static func export(
        from workspace: Int64, of store: any FenceStore
    ) throws -> [UInt8] {
        var fences: [StoredFence] = []
        while true {
            let page = try store.fences(of: workspace, after: fences.last?.id, limit: pageSize)
            fences += page
            if page.count < pageSize { break }
        }
        return try GeoJSONFences.collection(of: fences)
    }

    private static let pageSize = 1_000
}
