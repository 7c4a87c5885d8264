import Testing

@testable import LinuxSystem

@Suite("Network addresses")
struct NetworkAddressTests {
    private func addresses(_ text: String) -> [NetworkAddress] {
        text.enumerated().map { index, kind in
            NetworkAddress(description: "\(kind)\(index)", family: kind == "6" ? 10 : 2, bytes: [])
        }
    }

    @Test(
        "each family that there is has a place among those that are tried",
        arguments: [
            ("", []), ("4", ["40"]), ("444", ["40", "41"]), ("46", ["40", "61"]),
            ("6664", ["60", "43"]), ("44446", ["40", "64"]), ("64444", ["60", "41"]),
        ])
    func families(all: String, tried: [String]) {
        let chosen = NetworkAddress.ofEachFamily(addresses(all), limit: 2)
        #expect(chosen.map(\.description) == tried)
    }
}
