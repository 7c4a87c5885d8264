/// An error answer, `application/problem+json` (RFC 9457).
public struct Problem: Hashable, Sendable, Codable {
    public var type: String
    public var title: String
    public var status: Int
    public var detail: String
    public var instance: String
    /// Stable, for programs.
    public var code: String
    public var retryable: Bool
    public var errors: [Defect]
    public var requestID: String

    public init(
        title: String, status: Int, detail: String, instance: String, code: String,
        retryable: Bool, errors: [Defect] = [], requestID: String
    ) {
        type = "about:blank"
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.code = code
        self.retryable = retryable
        self.errors = errors
        self.requestID = requestID
    }

    enum CodingKeys: String, CodingKey {
        case type, title, status, detail, instance, code, retryable, errors
        case requestID = "request_id"
    }

    /// One place in the request that is wrong.
    public struct Defect: Hashable, Sendable, Codable {
        public var pointer: String
        public var code: String
        public var detail: String
        /// Where on Earth the defect lies; nil: it is not one of a place.
        public var lat: Double?
        public var lon: Double?

        /// For the author of the document, with the place on Earth where it has one.
        public var placedDescription: String {
            var text = "\(pointer.isEmpty ? "/" : pointer): \(detail)"
            if let lat, let lon { text += " at \(WireError.place(longitude: lon, latitude: lat))" }
            return text
        }

        public init(
            pointer: String, code: String, detail: String, lat: Double? = nil, lon: Double? = nil
        ) {
            self.pointer = pointer
            self.code = code
            self.detail = detail
            self.lat = lat
            self.lon = lon
        }
    }
}
