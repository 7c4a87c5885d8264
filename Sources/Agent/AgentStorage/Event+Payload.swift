import Campaigns
import Delivery
import Geodesy
import Geofencing
import Positioning
import Timekeeping

// What an event has that is sent, written and read in the same order. Its name and its place are in its
// row. For ever: rows on disk rest upon it.

extension Event {
    func write(to writer: inout PayloadWriter) {
        writer.add(id: visitID)
        content.write(to: &writer)
    }

    init(
        from reader: inout PayloadReader, clientEventID: String, position: QueuePosition
    ) throws(PayloadReader.Damage) {
        let visitID = try reader.optionalID()
        self.init(
            clientEventID: clientEventID, position: position, visitID: visitID,
            content: try EventDraft(from: &reader))
    }
}

extension EventDraft {
    func write(to writer: inout PayloadWriter) {
        writer.add(kind)
        writer.add(id: fenceID)
        writer.add(fenceVersion)
        writer.add(id: bootID.text)
        writer.add(wallClock.time.millisecondsSince1970)
        writer.add(flag: wallClock.isSynchronised)
        writer.add(timeQuality)
        detected.write(to: &writer, near: Moment(uptime: nil, utc: wallClock.time))
        occurred.write(to: &writer, near: detected)
        // Less than nothing is not sent.
        writer.add(occurredUncertaintySeconds > 0 ? occurredUncertaintySeconds : 0)
        writer.add(flag: isInitial)
        writer.add(flag: isInferred)
        writer.add(word: reason)
        // A fix without a position is not sent.
        writer.add(fix?.coordinate == nil ? nil : fix) { $1.write(to: &$0) }
        writer.add(evidence) { $1.write(to: &$0, near: detected) }
        writer.add(durationSeconds)
        notification.write(to: &writer)
        writer.add(evicted) { $1.write(to: &$0) }
    }

    init(from reader: inout PayloadReader) throws(PayloadReader.Damage) {
        let kind = try reader.one(of: EventKind.stored)
        let fenceID = try reader.optionalID()
        let fenceVersion = try reader.optionalInteger()
        let bootID = BootID(try reader.id())
        let wall = UTCTime(millisecondsSince1970: try reader.number())
        let isSynchronised = try reader.flag()
        let timeQuality = try reader.one(of: TimeQuality.stored)
        let detected = try Moment(from: &reader, near: Moment(uptime: nil, utc: wall))
        self.init(
            kind: kind, fenceID: fenceID, fenceVersion: fenceVersion, bootID: bootID,
            occurred: try Moment(from: &reader, near: detected),
            occurredUncertaintySeconds: try reader.double(), detected: detected,
            wallClock: WallClockReading(time: wall, isSynchronised: isSynchronised),
            timeQuality: timeQuality, isInitial: try reader.flag(), isInferred: try reader.flag(),
            reason: try reader.optionalWord(),
            fix: try reader.flag() ? try Fix(from: &reader) : nil,
            evidence: try reader.flag() ? try Evidence(from: &reader, near: detected) : nil,
            durationSeconds: try reader.optionalDouble(),
            notification: try NotificationDecision(from: &reader),
            evicted: try reader.flag() ? try EvictedRange(from: &reader) : nil)
    }
}

extension Moment {
    /// As distances from another moment, where that has them.
    func write(to writer: inout PayloadWriter, near other: Moment) {
        writer.add(uptime) {
            $0.add($1.milliseconds, from: other.uptime?.milliseconds ?? 0)
        }
        writer.add(utc) {
            $0.add($1.millisecondsSince1970, from: other.utc?.millisecondsSince1970 ?? 0)
        }
    }

    init(from reader: inout PayloadReader, near other: Moment) throws(PayloadReader.Damage) {
        let uptime =
            try reader.flag() ? try reader.number(from: other.uptime?.milliseconds ?? 0) : nil
        let utc =
            try reader.flag()
            ? try reader.number(from: other.utc?.millisecondsSince1970 ?? 0) : nil
        self.init(
            uptime: uptime.map(Uptime.init(milliseconds:)),
            utc: utc.map(UTCTime.init(millisecondsSince1970:)))
    }
}

extension Fix {
    fileprivate func write(to writer: inout PayloadWriter) {
        writer.add(coordinate?.latitude ?? 0)
        writer.add(coordinate?.longitude ?? 0)
        writer.add(horizontalAccuracy?.meters)
        writer.add(speed)
        writer.add(course)
        writer.add(hdop)
        writer.add(satellitesUsed)
        if case .other = quality { writer.add(Quality.other(0)) } else { writer.add(quality) }
        writer.add(source)
        writer.add(byte: integrityFlags.rawValue)
    }

    fileprivate init(from reader: inout PayloadReader) throws(PayloadReader.Damage) {
        let latitude = try reader.double()
        guard let place = Coordinate(latitude: latitude, longitude: try reader.double()) else {
            throw PayloadReader.Damage()
        }
        let accuracy = try reader.optionalDouble()
        self.init(
            coordinate: place, uptime: Uptime(milliseconds: 0),
            horizontalAccuracy: accuracy.map {
                HorizontalAccuracy(meters: $0, provenance: .configured)
            },
            speed: try reader.optionalDouble(), course: try reader.optionalDouble(),
            hdop: try reader.optionalDouble(), satellitesUsed: try reader.optionalInteger(),
            quality: try reader.one(of: Quality.stored),
            source: try reader.one(of: FixOrigin.stored),
            integrityFlags: IntegrityFlags(rawValue: try reader.byte()))
    }
}

extension Evidence {
    fileprivate func write(to writer: inout PayloadWriter, near detected: Moment) {
        writer.add(word: rule)
        writer.add(signedDistanceMeters)
        writer.add(accuracyMeters)
        writer.add(Int64(confirmations))
        writer.add(spanSeconds)
        writer.add(gapSeconds)
        writer.add(flag: isStationary)
        writer.add(chord) { writer, chord in
            chord.entered.write(to: &writer, near: detected)
            chord.left.write(to: &writer, near: chord.entered)
            writer.add(chord.lengthMeters)
        }
    }

    fileprivate init(
        from reader: inout PayloadReader, near detected: Moment
    ) throws(PayloadReader.Damage) {
        self.init(
            rule: try reader.word(), signedDistanceMeters: try reader.optionalDouble(),
            accuracyMeters: try reader.optionalDouble(), confirmations: try reader.integer(),
            spanSeconds: try reader.double(), gapSeconds: try reader.optionalDouble(),
            isStationary: try reader.flag(),
            chord: try reader.flag() ? try Chord(from: &reader, near: detected) : nil)
    }
}

extension Evidence.Chord {
    fileprivate init(
        from reader: inout PayloadReader, near detected: Moment
    ) throws(PayloadReader.Damage) {
        let entered = try Moment(from: &reader, near: detected)
        self.init(
            entered: entered, left: try Moment(from: &reader, near: entered),
            lengthMeters: try reader.double())
    }
}

extension EvictedRange {
    fileprivate func write(to writer: inout PayloadWriter) {
        writer.add(kind)
        writer.add(count)
        writer.add(firstSequence)
        writer.add(lastSequence, from: firstSequence)
    }

    fileprivate init(from reader: inout PayloadReader) throws(PayloadReader.Damage) {
        let kind = try reader.one(of: EventKind.stored)
        let count = try reader.number()
        let first = try reader.number()
        self.init(
            kind: kind, count: count, firstSequence: first,
            lastSequence: try reader.number(from: first))
    }
}
