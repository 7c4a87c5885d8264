/// An open descriptor with several users: closed when the last of them lets go.
public final class SharedDescriptor: Sendable {
    private let descriptor: FileDescriptor

    /// For system calls while this object lives.
    public var number: Int32 { descriptor.number }

    /// Takes over a descriptor that nobody else closes.
    public init(owning number: Int32) {
        descriptor = FileDescriptor(owning: number)
    }
}
