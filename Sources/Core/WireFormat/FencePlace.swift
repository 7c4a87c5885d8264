/// Where a fence stands in its document, and where its members do.
public struct FencePlace: Hashable, Sendable {
    var form: Form
    var index: Int

    /// The documents that hold fences.
    enum Form: Hashable, Sendable {
        /// `[...]`
        case list
        /// `{"fences": [...]}`
        case members
        /// A GeoJSON FeatureCollection.
        case collection
        /// A single GeoJSON Feature.
        case feature

        /// To the array of the fences, or to the one fence.
        var pointer: String {
            switch self {
            case .list, .feature: ""
            case .members: "/fences"
            case .collection: "/features"
            }
        }
    }

    /// An error below the wire form of the fence, as an error of the document.
    public func error(_ error: WireError) -> WireError {
        let fence = form == .feature ? "" : "\(form.pointer)/\(index)"
        let isFeature = form == .feature || form == .collection
        let member = isFeature ? Self.featureMember(error.pointer) : error.pointer
        return WireError(pointer: fence + member, detail: error.detail, place: error.place)
    }

    /// Where a member of the wire form stands in a GeoJSON feature.
    public static func featureMember(_ pointer: String) -> String {
        if pointer.isEmpty || pointer == "/id" || pointer.hasPrefix("/geometry") { return pointer }
        if pointer.hasPrefix("/center") { return "/geometry/coordinates" }
        return pointer == "/type" ? "/geometry/type" : "/properties" + pointer
    }
}
