// The agent's configuration file: any bytes, read as `geofenced config check` reads them.
import ConfigurationFile
import GeofenceAgent

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    guard let file = read({ try ConfigurationFile(bytes, name: "c") }) else { return 0 }
    for lax in [false, true] {
        guard
            let decoded = read({
                try file.decode(AgentConfiguration.self, ignoringUnknownKeys: lax)
            })
        else { continue }
        let value = decoded.value
        demand((0...3600).contains(value.upload.intervalSeconds), "upload.interval_s")
        demand((1...500).contains(value.upload.maxBatch), "upload.max_batch")
        demand((5...86_400).contains(value.heartbeatSeconds), "heartbeat_s")
        demand((1...1000).contains(value.receiver.speed), "receiver.speed")
        demand(value.server == nil || value.fencesFile == nil, "two sources of fences")
        // What `config check --effective` prints.
        let effective = read { try EffectiveConfiguration(decoded) }
        demand(effective.map { !$0.lines.isEmpty } == true, "an empty effective configuration")
    }
    return 0
}
