/// A promise that did not hold, with what shows it.
public struct DeliveryViolation: Error, Hashable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
