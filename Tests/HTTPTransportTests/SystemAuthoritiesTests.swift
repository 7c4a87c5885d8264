import Foundation
import TestSupport
import Testing

@testable import HTTPTransport

@Suite("The system's authorities")
struct SystemAuthoritiesTests {
    @Test(
        "the folder serves only where it has every authority of the bundle",
        arguments: [
            (["4a6481c9.0", "002c0b4f.0"], 2, true), (["4a6481c9.0", "4a6481c9.1"], 2, true),
            (["4a6481c9.0", "002c0b4f.0", "ffffffff.0"], 2, true), (["4a6481c9.0"], 2, false),
            ([], 0, false), (["4a6481c9.0"], 0, false),
            (["One_Authority.pem", "ca-certificates.crt"], 2, false),
            (["4a6481c9.r0", "4a6481c.0", "4a6481c99.0", "4a6481cg.0", "4a6481c9"], 1, false),
        ] as [([String], Int, Bool)])
    func hashed(names: [String], authorities: Int, expected: Bool) throws {
        let folder = try TemporaryDirectory()
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        try write(folder, "bundle.crt", String(repeating: certificate, count: authorities))
        for name in names { try write(folder, name, certificate) }
        #expect(
            SystemAuthorities.areHashed(in: folder.path, bundle: folder.file("bundle.crt"))
                == expected)
    }

    @Test("without folder or bundle the folder does not serve")
    func missing() throws {
        let folder = try TemporaryDirectory()
        try write(folder, "4a6481c9.0", "-----BEGIN CERTIFICATE-----\n")
        #expect(
            !SystemAuthorities.areHashed(in: folder.path, bundle: folder.file("bundle.crt")))
        #expect(
            !SystemAuthorities.areHashed(in: folder.file("none"), bundle: folder.file("4a6481c9.0"))
        )
    }

    private func write(_ folder: TemporaryDirectory, _ name: String, _ text: String) throws {
        try text.write(toFile: folder.file(name), atomically: false, encoding: .utf8)
    }
}
