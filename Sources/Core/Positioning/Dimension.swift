/// How much of a position an epoch has; raw values are those of recordings and `decode`.
public enum Dimension: String, Hashable, Sendable {
    case none
    case twoDimensional = "2d"
    case threeDimensional = "3d"
}
