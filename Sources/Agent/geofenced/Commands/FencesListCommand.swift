import CommandLineTool
import GeofenceAgent
import WireFormat

/// `geofenced fences list`: every known fence, and which are monitored.
enum FencesListCommand: Command {
    static let declaration = CommandDeclaration(
        "fences list", summary: "show the known fences, nearest first",
        example: "fences list --json",
        options: [
            ConfigurationLoading.option,
            .flag("json", "one JSON object, schema geofenced.fences/1"),
        ])

    static func run(_ arguments: ParsedArguments, on console: Console) async throws -> ExitCode {
        let line = try ControlCall.line(ControlRequest(.fences), arguments)
        guard !arguments.flag("json") else {
            try console.print(String(decoding: line, as: UTF8.self))
            return .success
        }
        let list = try WireCoding.decode(FenceList.self, from: line)
        if list.fences.isEmpty { console.note("no fences are known") }
        for fence in list.fences { try console.print(text(fence)) }
        for id in list.shadowed {
            console.note("fence \(id) of this device is hidden by one of the same id")
        }
        if let reason = list.unavailableReason {
            console.note("monitoring is unavailable: \(reason)")
        }
        return .success
    }

    private static func text(_ fence: FenceList.Entry) -> String {
        var parts = [fence.id, fence.state]
        if let distance = fence.signedDistanceMeters {
            let side = distance >= 0 ? "inside the edge" : "from the edge"
            parts.append("\(EventText.meters(abs(distance))) \(side)")
        }
        parts.append(fence.source)
        parts.append(fence.monitoring)
        if fence.regionFit == "clamped" || fence.regionFit == "widened",
            let radius = fence.regionRadiusMeters
        {
            parts.append("region \(fence.regionFit ?? "") to \(EventText.meters(radius))")
        }
        if fence.dwelled { parts.append("dwelled") }
        if fence.uncertain { parts.append("uncertain") }
        if fence.tooSmallHere { parts.append("too small for this accuracy") }
        if fence.name != fence.id { parts.append("\"\(fence.name)\"") }
        return parts.joined(separator: ", ")
    }
}
