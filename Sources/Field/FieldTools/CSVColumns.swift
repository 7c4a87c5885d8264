/// Where a CSV file of positions has what, by the names in its header line.
///
/// Known are plain names, those of Android's GNSS loggers, and those of track loggers (MTK, Columbus),
/// which write the date apart, the hemisphere behind the number or in a column of its own, and km/h.
struct CSVColumns: Hashable, Sendable {
    var time: Int
    /// Nil: the time column holds whole instants.
    var date: Int?
    var latitude: Int
    var longitude: Int
    var northing: Int?
    var easting: Int?
    var accuracy: Int?
    var speed: Int?
    /// What the logger itself says of the fix: "No fix" is none.
    var validity: Int?
    /// To metres per second.
    var speedFactor = 1.0

    private static let times: Set<String> = [
        "time", "timestamp", "utc", "datetime", "unix_s", "unixtimemillis", "utctimemillis",
    ]
    private static let latitudes: Set<String> = [
        "lat", "latitude", "latitudedegrees", "latdeg", "latitude n/s",
    ]
    private static let longitudes: Set<String> = [
        "lon", "lng", "long", "longitude", "longitudedegrees", "lngdeg", "longitude e/w",
    ]
    private static let accuracies: Set<String> = [
        "accuracy_m", "accuracy", "accuracymeters", "hacc", "hacc_m", "sigma_m",
    ]

    /// Nil where the names are not those of a file of positions.
    init?(names: [String]) {
        let names = names.map { $0.lowercased() }
        func column(_ accepted: Set<String>) -> Int? { names.firstIndex(where: accepted.contains) }
        guard let time = column(Self.times), let latitude = column(Self.latitudes),
            let longitude = column(Self.longitudes)
        else { return nil }
        self.time = time
        self.latitude = latitude
        self.longitude = longitude
        date = column(["date"])
        northing = column(["n/s"])
        easting = column(["e/w"])
        accuracy = column(Self.accuracies)
        speed = column(["speed_mps", "speedmps", "speed"])
        validity = column(["valid"])
        if names.first == "index" { speedFactor = 1 / 3.6 }
    }
}
