import ConfigurationFile
import Testing

@Suite("Effective configuration")
struct EffectiveConfigurationTests {
    @Test("every value is printed with its origin, secrets as dots")
    func printsOrigins() throws {
        let decoded = try SampleConfiguration.decode(
            """
            server:
              url: https://x
              key_file: secret
            receiver:
              port: 1
            command: [a, b]
            """)
        let effective = try EffectiveConfiguration(decoded, secretKeyPaths: ["server.key_file"])
        #expect(
            effective.lines.map { "\($0.keyPath) = \($0.value) (\($0.origin))" } == [
                "server.url = https://x (a.yaml:2)",
                "server.key_file = \(EffectiveConfiguration.dots) (a.yaml:3)",
                "receiver.source = auto (default)", "receiver.port = 1 (a.yaml:5)",
                "receiver.ratio = 1.0 (default)", "receiver.passive = false (default)",
                "command[0] = a (a.yaml:6)", "command[1] = b (a.yaml:6)", "small = 7 (default)",
                "labels =  (default)",
            ])
    }

    @Test("what is not given is a line without a value, and no secret")
    func printsAbsence() throws {
        let decoded = try SampleConfiguration.decode("server: { url: x }")
        let effective = try EffectiveConfiguration(decoded, secretKeyPaths: ["server.key_file"])
        let line = effective.lines.first { $0.keyPath == "server.key_file" }
        #expect(line?.value == "")
        #expect(line?.origin == "default")
    }
}
