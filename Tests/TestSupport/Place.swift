import Geodesy

/// A coordinate that a test wrote down; one that is not on Earth is a mistake in the test.
public func place(_ latitude: Double, _ longitude: Double) -> Coordinate {
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
        preconditionFailure("\(latitude), \(longitude) is not on Earth")
    }
    return coordinate
}
