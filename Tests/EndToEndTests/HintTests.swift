import Foundation
import TestSupport
import Testing

@Suite("A hint that the device stays")
struct HintTests {
    @Test("a file that changes under the running agent becomes hints in the recording")
    func recorded() throws {
        let agent = try KioskAgent()
        let file = agent.folder.file("ignition")
        let recordings = agent.folder.file("drives")
        try agent.configure(
            "fences_file: \(agent.folder.file("fences.geojson"))\n"
                + "stationary_hint: file:\(file)\n"
                + "recording: { enabled: true, directory: \(recordings) }")
        let program = try agent.start()
        func hints() -> Int {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: recordings)) ?? []
            return names.compactMap { SharedFolder.readFile(recordings + "/" + $0) }
                .map {
                    String(decoding: $0, as: UTF8.self).components(separatedBy: "\"hint\"").count
                        - 1
                }
                .reduce(0, +)
        }
        #expect(eventually(within: 30) { hints() == 1 }, "\(program.errors)")
        try agent.write("ignition", "1")
        #expect(eventually(within: 30) { hints() == 2 }, "\(program.errors)")
        try agent.write("ignition", "0")
        #expect(eventually(within: 30) { hints() == 3 }, "\(program.errors)")
        program.send(SIGTERM)
        #expect(program.end(within: 10) == 0, "\(program.errors)")
    }
}
