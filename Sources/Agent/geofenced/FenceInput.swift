import CommandLineTool
import Geodesy
import Geofencing
import LinuxSystem
import WireFormat

/// Fences as a person gives them: a file, or a circle on the command line.
struct FenceInput {
    /// Bytes of a file.
    static let fileLimit = 1 << 20
    private(set) var fences: [WireFence]
    /// Where in the file each stands; empty for a circle.
    private var places: [FencePlace] = []
    /// What the fences were read from; nil: the command line.
    private var file: String?

    /// GeoJSON, `{"fences": [...]}` or a list. Throws where it is none of them, with the place.
    init(file: String) throws {
        self.file = file
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(file, limit: Self.fileLimit, orPipe: true)
        } catch {
            throw CommandFailure("\(error)")
        }
        do throws(WireError) {
            let read = try FenceDocument.wireFences(in: bytes)
            fences = read.map(\.wire)
            places = read.map(\.place)
        } catch {
            throw CommandFailure("\(file): \(error.placedDescription)")
        }
    }

    /// `lat,lon,radius` in degrees and metres.
    init(circle: String, id: String, name: String?) throws {
        let parts = circle.split(separator: ",", omittingEmptySubsequences: false).map {
            Double($0.filter { $0 != " " })
        }
        guard parts.count == 3, let lat = parts[0], let lon = parts[1], let radius = parts[2],
            lat.isFinite, lon.isFinite, radius.isFinite
        else {
            throw UsageError("--circle: '\(circle)' is not LAT,LON,RADIUS in degrees and metres")
        }
        guard let center = Coordinate(latitude: lat, longitude: lon) else {
            throw UsageError("--circle: lat \(lat), lon \(lon) is not on Earth")
        }
        var fence = WireFence(id: id, type: .circle)
        fence.name = name
        fence.center = WireCoordinate(center)
        fence.radiusMeters = radius
        fences = [fence]
    }

    /// What was asked for on the command line goes before what the file says. Without either a fence
    /// of the device tells of enter and exit.
    mutating func apply(on: [Transition.Kind]?, dwellSeconds: Double?) {
        for index in fences.indices {
            if let dwellSeconds { fences[index].dwellSeconds = dwellSeconds }
            var kinds = on ?? fences[index].transitions ?? [.enter, .exit]
            if dwellSeconds != nil, !kinds.contains(.dwell) { kinds.append(.dwell) }
            fences[index].transitions = kinds
        }
    }

    /// Every defect with its place in the file.
    var defects: [Problem.Defect] {
        var defects: [Problem.Defect] = []
        var seen: Set<WireID> = []
        for (index, fence) in fences.enumerated() {
            var found = FenceCheck.defects(of: fence)
            if !seen.insert(fence.id).inserted {
                found.append(
                    .init(
                        pointer: "/id", code: "duplicate_id",
                        detail: "'\(fence.id.text)' stands twice"))
            }
            defects += found.map { placed($0, index) }
        }
        return defects
    }

    var warnings: [String] {
        fences.flatMap { fence in
            FenceCheck.warnings(about: fence).map { "\(fence.id.text): \($0)" }
        }
    }

    private func placed(_ defect: Problem.Defect, _ index: Int) -> Problem.Defect {
        guard places.indices.contains(index) else { return defect }
        var defect = defect
        defect.pointer =
            places[index].error(WireError(pointer: defect.pointer, detail: "")).pointer
        return defect
    }

    /// "enter,exit" as kinds. Throws at another word.
    static func kinds(_ text: String) throws -> [Transition.Kind] {
        try text.split(separator: ",").map { word in
            guard let kind = Transition.Kind(rawValue: String(word)) else {
                let allowed = Transition.Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw UsageError("--on: '\(word)' is not one of \(allowed)")
            }
            return kind
        }
    }

    /// What is wrong with a fence, where its author wrote it: in the file, or in which option.
    func line(_ defect: Problem.Defect) -> String {
        guard file == nil else { return "\(file ?? ""): \(defect.placedDescription)" }
        let member = defect.pointer.split(separator: "/").first.map(String.init) ?? ""
        let option = Self.options[member] ?? "--circle"
        return "\(option): \(defect.detail)"
    }

    /// The same for the agent's word on the fences that it was sent, `/fences/0/...`.
    func line(answer defect: Problem.Defect) -> String {
        let parts = defect.pointer.split(separator: "/", maxSplits: 2)
        guard parts.count > 1, parts[0] == "fences", let index = Int(parts[1]) else {
            return defect.placedDescription
        }
        var below = defect
        below.pointer = parts.count > 2 ? "/\(parts[2])" : ""
        return line(placed(below, index))
    }

    /// The option that says each member of a circle.
    private static let options = [
        "id": "--id", "name": "--name", "dwell_s": "--dwell", "transitions": "--on",
    ]
}
