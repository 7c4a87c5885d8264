import Geodesy

/// Whether a fence can be taken in: the same answer on the server and on the device.
public enum FenceCheck {
    /// Code points of an id.
    public static let idLength = 1...128

    /// Everything that is wrong with a fence, with pointers below it; empty: nothing.
    public static func defects(of wire: WireFence) -> [Problem.Defect] {
        var defects = idDefects(wire.id.text) + FenceLimits.defects(of: wire)
        defects += campaignDefects(of: wire)
        if !FenceGeometryCheck.fits(wire) {
            defects.append(
                Problem.Defect(
                    pointer: "/geometry/type", code: "invalid_value",
                    detail: "does not fit type '\(wire.type)'"))
        }
        defects += FenceGeometryCheck.positionDefects(of: wire).map { defect($0, of: wire.type) }
        guard defects.isEmpty else { return defects }
        do {
            let shape = try PreparedShape(try wire.fence().shape)
            return shape.defects.map { defect($0, of: wire.type) }
        } catch let error as ShapeError {
            return error.defects.map { defect($0, of: wire.type) }
        } catch let error as WireError {
            return [
                Problem.Defect(
                    pointer: error.pointer, code: "invalid_value", detail: error.placedDetail)
            ]
        } catch {
            return [Problem.Defect(pointer: "", code: "invalid_value", detail: "\(error)")]
        }
    }

    /// Semicolon, grave accent and K once more, which Unicode takes for those of ASCII: a text of
    /// ASCII shall have one spelling.
    private static let doublesOfASCII: Set<Unicode.Scalar> = [
        "\u{37E}", "\u{1FEF}", "\u{212A}",
    ]

    public static func idDefects(_ id: String) -> [Problem.Defect] {
        let isPlain =
            id.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            && !id.unicodeScalars.contains(where: doublesOfASCII.contains)
        guard !idLength.contains(id.unicodeScalars.count) || !isPlain else { return [] }
        return [
            Problem.Defect(
                pointer: "/id", code: "invalid_value",
                detail:
                    "not 1 to 128 characters without control characters, U+037E, U+1FEF and U+212A")
        ]
    }

    /// What does not stop a fence, one sentence each.
    public static func warnings(about wire: WireFence) -> [String] {
        var warnings: [String] = []
        if let dwell = wire.dwellSeconds, dwell < FenceLimits.shortDwellSeconds {
            warnings.append(
                "dwell_s \(dwell) counts people who drive by; 120 or more does not")
        }
        if wire.type == .circle, let radius = wire.radiusMeters,
            radius < FenceLimits.smallRadiusMeters
        {
            warnings.append("a radius of \(radius) m is below 100 m: arrivals may be missed")
        }
        return warnings
    }

    private static func defect(
        _ defect: ShapeDefect, of type: WireFence.Kind
    ) -> Problem.Defect {
        Problem.Defect(
            pointer: FenceGeometryCheck.pointer(of: defect, type), code: defect.code.rawValue,
            detail: defect.description, lat: defect.latitude, lon: defect.longitude)
    }
}
