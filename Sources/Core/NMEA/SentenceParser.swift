/// Takes a sentence apart by the last three letters of its address; any talker will do.
enum SentenceParser {
    /// Longer addresses are of no type that is read here.
    private static let maximumAddressBytes = 8

    /// The sentence and its tag.
    @inline(__always)
    static func parse(_ body: SentenceBody) -> (Sentence, SentenceTag) {
        var tag = SentenceTag()
        var place = body.start
        while place < body.end, place[0] != Byte.comma {
            tag.characters = tag.characters &<< 8 | UInt64(place[0])
            place += 1
        }
        let count = place - body.start
        guard count >= 3, count <= maximumAddressBytes else { return (.other, tag) }
        var fields = FieldCursor(fieldsFrom: place + 1, to: body.end)
        if body.start[0] == Letter.proprietary {
            return (proprietary(tag, &fields), tag)
        }
        return (parse(&fields, &tag), tag)
    }

    @inline(__always)
    private static func parse(_ fields: inout FieldCursor, _ tag: inout SentenceTag) -> Sentence {
        switch tag.characters & 0xFF_FFFF {
        case code("GSV"): satellitesInView(&fields, &tag)
        case code("GSA"): satellitesUsed(&fields, &tag)
        case code("RMC"): recommendedMinimum(&fields)
        case code("GGA"): fixData(&fields)
        case code("VTG"): velocity(&fields)
        case code("GLL"): geographicPosition(&fields)
        case code("GNS"): multiSystemFixData(&fields)
        case code("GST"): standardDeviations(&fields)
        case code("GBS"): integrity(&fields)
        case code("ZDA"): date(&fields)
        default: .other
        }
    }

    /// Proprietary sentences never give a position: gpsd takes the averaged one of `$PERC,GPavp`
    /// for the fix, 18 m off.
    private static func proprietary(_ tag: SentenceTag, _ fields: inout FieldCursor) -> Sentence {
        switch tag.characters {
        case code("PUBX"): ubloxPosition(&fields)
        case code("PGRME"): garminError(&fields)
        default: .other
        }
    }

    @inline(__always)
    private static func code(_ text: StaticString) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<text.utf8CodeUnitCount {
            value = value << 8 | UInt64(text.utf8Start[index])
        }
        return value
    }
}
