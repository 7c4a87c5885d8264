/// The machine's architecture, as in `User-Agent`.
enum Architecture {
    #if arch(x86_64)
        static let name = "x86_64"
    #elseif arch(arm64)
        static let name = "aarch64"
    #elseif arch(arm)
        static let name = "arm"
    #else
        static let name = "unknown"
    #endif
}
