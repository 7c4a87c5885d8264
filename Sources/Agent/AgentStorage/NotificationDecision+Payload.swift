import Campaigns

// As `Event+Payload`.

extension NotificationDecision {
    func write(to writer: inout PayloadWriter) {
        writer.add(outcome)
        writer.add(word: reason)
        writer.add(id: campaignID)
        writer.add(campaignVersion)
        writer.add(basis) { $1.write(to: &$0) }
    }

    init(from reader: inout PayloadReader) throws(PayloadReader.Damage) {
        self.init(
            outcome: try reader.one(of: Outcome.stored), reason: try reader.optionalWord(),
            campaignID: try reader.optionalID(), campaignVersion: try reader.optionalInteger(),
            basis: try reader.flag() ? try NotificationBasis(from: &reader) : nil)
    }
}

extension NotificationBasis {
    fileprivate func write(to writer: inout PayloadWriter) {
        writer.add(word: cooldownOf)
        writer.add(cooldownSeconds)
        writer.add(sinceShownSeconds)
        writer.add(remainingSeconds)
        writer.add(localTime)
        writer.add(timezone)
        writer.add(window)
        writer.add(shownToday)
        writer.add(maxPerDay)
        writer.add(id: outrankedBy)
    }

    fileprivate init(from reader: inout PayloadReader) throws(PayloadReader.Damage) {
        self.init()
        cooldownOf = try reader.optionalWord()
        cooldownSeconds = try reader.optionalDouble()
        sinceShownSeconds = try reader.optionalDouble()
        remainingSeconds = try reader.optionalDouble()
        localTime = try reader.optionalString()
        timezone = try reader.optionalString()
        window = try reader.optionalString()
        shownToday = try reader.optionalInteger()
        maxPerDay = try reader.optionalInteger()
        outrankedBy = try reader.optionalID()
    }
}
