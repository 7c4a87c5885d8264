"""The queue on the disk, in memory, and what is left of a damaged one."""
from mutations.defect import Defect

PLACE = "Sources/Agent/AgentStorage"

QUEUE = [
    Defect(
        1, "the queue commits with synchronous NORMAL",
        f"{PLACE}/QueueSchema.swift",
        'setPragma("synchronous", "FULL")', 'setPragma("synchronous", "NORMAL")',
        "AgentStorageTests.RestartTests", "is configured as the design says"),
    Defect(
        5, "the epoch goes on after a quarantine",
        f"{PLACE}/QueueReplacement.swift",
        "        let fresh = try beside.openFile()\n",
        "        let made = try beside.openFile()\n"
        "        let old = try? Connection(path: files.database, mode: .readOnly)\n"
        "            .first(\"SELECT value FROM meta WHERE name = 'epoch'\") { $0.text(0) }\n"
        "        let epoch = (old ?? nil) ?? made.epoch\n"
        "        try made.connection.run(\"UPDATE meta SET value = ? WHERE name = 'epoch'\", epoch)\n"
        "        let fresh = try QueueStore(\n"
        "            made.connection, deviceID: opening.deviceID, epoch: epoch)\n",
        "AgentStorageTests.DamageTests", "is set aside and salvaged, tells of it, and goes on"),
    Defect(
        7, "sequence numbers are given out apart from the transaction",
        f"{PLACE}/QueueStore.swift",
        "        var used: Int64?\n"
        "        var trimmed: Int64 = 0\n"
        "        try connection.transaction { () throws(SQLiteError) in\n"
        "            try first(&counters)\n",
        "        var used: Int64?\n"
        "        var trimmed: Int64 = 0\n"
        "        let count = Int64(preparation.events.count)\n"
        "        try connection.run(\n"
        "            \"UPDATE sqlite_sequence SET seq = seq + ? WHERE name = 'events'\", count)\n"
        "        lastSequence += count\n"
        "        var isDone = false\n"
        "        defer { if isDone { lastSequence -= count } }\n"
        "        try connection.transaction { () throws(SQLiteError) in\n"
        "            isDone = true\n"
        "            try first(&counters)\n",
        "AgentStorageTests.RestartTests",
        "a cut anywhere in the log leaves whole commits, the first ones, and balanced counters"),
    Defect(
        8, "the tracker's state is committed apart from its events",
        f"{PLACE}/QueueStore.swift",
        "            try write(state)\n"
        "            try write(preparation.arrivals)\n"
        "            try write(counters)\n"
        "            used = try usedBytes()\n"
        "        }\n",
        "            try write(preparation.arrivals)\n"
        "            try write(counters)\n"
        "            used = try usedBytes()\n"
        "        }\n"
        "        try connection.transaction { () throws(SQLiteError) in try write(state) }\n",
        "AgentStorageTests.RestartTests",
        "a cut anywhere in the log leaves whole commits, the first ones, and balanced counters"),
    Defect(
        12, "the ballast is never made again",
        f"{PLACE}/SQLiteEventQueue.swift",
        "            files.makeBallast(bytes: limits.ballastBytes)\n"
        "            crumbs.openPresent()\n",
        "            crumbs.openPresent()\n",
        "AgentStorageTests.FileSystemTests",
        "that others fill to the brim costs the ballast first, then memory, then recovers"),
    Defect(
        27, "a damaged queue is moved away before the salvaged one has its name",
        f"{PLACE}/QueueReplacement.swift",
        "            let outcome = try fill(draft)\n",
        "            let outcome = try fill(draft)\n"
        "            try files.quarantineDatabase(label: label)\n",
        "AgentStorageTests.ReplacementTests", "costs no event wherever the power is cut"),
    Defect(
        28, "a queue that has vanished is taken for a new one",
        f"{PLACE}/QueueOpening.swift",
        "        if let loss = try files.loss { throw .damaged(loss) }\n", "",
        "AgentStorageTests.ReplacementTests",
        "is made for a file that has vanished, too, and told"),
    Defect(
        29, "events in memory are not bounded",
        f"{PLACE}/SQLiteEventQueue+Room.swift",
        "guard fallback.ownPending + Int64(drafts.count) > StorageLimits.memoryEvents else {",
        "guard fallback.ownPending < 0 else {",
        "AgentStorageTests.CapacityTests",
        "in memory stays so small for 20,000 events, and tells of every one that it drops"),
    Defect(
        30, "damaged files do not count in the queue's limit",
        f"{PLACE}/SQLiteEventQueue+Room.swift",
        "StorageLimits.evictionStart) - quarantinedBytes)", "StorageLimits.evictionStart))",
        "AgentStorageTests.CapacityTests",
        "lets damaged files go before any event or dead letter, and counts them in its limit"),
    Defect(
        31, "a receipt settles whatever has the event's key now",
        f"{PLACE}/QueueStore+Settling.swift",
        "let id = settlement.clientEventID.map { UUIDBytes(text: $0)?.bytes ?? [] }",
        "let id: [UInt8]? = nil",
        "AgentStorageTests.QueueContractTests", "leaves an event alone that has the key of another"),
    Defect(
        32, "a commit whose fsync failed is on the disk and in memory",
        f"{PLACE}/MemoryFallback+HandBack.swift",
        "                try disk.withdraw(after: diskPosition.sequence, &counters)\n", "",
        "AgentStorageTests.HandBackTests",
        "a commit that failed when it was in the log already is on disk once, as memory has it"),
    Defect(
        33, "a copied card goes on with the epoch of the other device",
        f"{PLACE}/QueueOpening.swift", "[(\"hardware\", hardwareID), (", "[(\"hardware\", nil), (",
        "AgentStorageTests.RestartTests",
        "on the hardware of another device starts an epoch, and keeps the old events' names"),
    Defect(
        34, "what gives way is not told to the server",
        f"{PLACE}/SQLiteEventQueue.swift",
        "evictions.isEmpty ? drafts : evictions.map(self.evictionDraft) + drafts", "drafts",
        "AgentStorageTests.CapacityTests",
        "lets the oldest of the least important kind go, counts and tells it"),
    Defect(
        35, "visits give way before what is worth less",
        f"{PLACE}/Eviction.swift",
        "        [.pass], [.enter, .exit, .dwell, .moved, .coverageLost, .coverageRestored],\n"
        "        [.visitStarted, .visitEnded],\n",
        "        [.visitStarted, .visitEnded],\n"
        "        [.pass], [.enter, .exit, .dwell, .moved, .coverageLost, .coverageRestored],\n",
        "AgentStorageTests.CapacityTests",
        "lets the oldest of the least important kind go, counts and tells it"),
    Defect(
        56, "a dead letter of memory has no bytes in a file that was replaced",
        f"{PLACE}/MemoryFallback+HandBack.swift",
        "length(payload) FROM events WHERE key IN (?, ?) AND event_id = ?\", key,\n"
        "                key - QueueSalvage.keyOffset, id.bytes\n",
        "length(payload) FROM events WHERE key = ?\", key\n",
        "AgentStorageTests.HandBackTests",
        "what was settled in memory is settled in a file that was replaced meanwhile"),
    Defect(
        57, "dead letters give way before damaged files",
        f"{PLACE}/SQLiteEventQueue+Room.swift",
        "        // No event gives way while a position or a damaged file that was salvaged is kept.\n",
        "        _ = try store.deleteDead(freeing: .max)\n",
        "AgentStorageTests.CapacityTests",
        "lets damaged files go before any event or dead letter, and counts them in its limit"),
    Defect(
        58, "damaged files that somebody took away still count",
        f"{PLACE}/SQLiteEventQueue+Room.swift",
        "        if files.dropOldestQuarantined() {\n"
        "            note(.warning, \"gave up the oldest file in quarantine for new events\")\n"
        "        }\n",
        "        guard files.dropOldestQuarantined() else { return false }\n",
        "AgentStorageTests.CapacityTests", "counts no damaged file that somebody has taken away"),
    Defect(
        59, "what cannot be read of a damaged file keeps the agent from memory",
        f"{PLACE}/SQLiteEventQueue+Trouble.swift",
        "let last = old?.lastSequence ?? (try? rows?.lastSequence())",
        "let last = try old?.lastSequence ?? rows?.lastSequence()",
        "AgentStorageTests.FileSystemTests",
        "that has no room for a salvage does not stop the agent, whatever cannot be read"),
    Defect(
        70, "dead letters are kept without end",
        f"{PLACE}/QueueStore+Settling.swift",
        "            try trimAcknowledged(&counters)\n"
        "            trimmed = try trimDead(&counters, to: deadLetterLimit)\n",
        "            try trimAcknowledged(&counters)\n",
        "AgentStorageTests.CapacityTests",
        "keeps dead letters of a megabyte, the newest, and counts all"),
    Defect(
        71, "nothing is checked after an unclean stop",
        f"{PLACE}/QueueOpening.swift",
        "        if try !CleanMark.holds(rows) { try check(connection) }\n", "",
        "AgentStorageTests.DamageTests", "is set aside and salvaged, tells of it, and goes on"),
    Defect(
        72, "positions stay where none are to be kept any more",
        f"{PLACE}/SQLiteEventQueue.swift",
        "        if !isDrain { crumbs.eraseWhereOff() }\n", "",
        "AgentStorageTests.BreadcrumbTests",
        "switched off nothing is written, and what there was is gone"),
    Defect(
        92, "a copy that was put back goes on in its epoch",
        f"{PLACE}/QueueOpening.swift",
        "let birth = fileBirth(connection.path).map { String($0) }",
        "let birth: String? = nil",
        "AgentStorageTests.RestartTests",
        "of a copy that was put back numbers nothing twice: it starts an epoch"),
    Defect(
        93, "an event's payload leaves out the doubts about its fix",
        f"{PLACE}/Event+Payload.swift",
        "        writer.add(byte: integrityFlags.rawValue)\n",
        "        writer.add(byte: 0)\n",
        "AgentStorageTests.EventPayloadTests", "becomes the bytes that the event was"),
    Defect(
        94, "a row's digest does not cover the event's number",
        f"{PLACE}/EventPayload.swift",
        "        withUnsafeBytes(of: position.sequence.littleEndian) { covered += $0 }\n",
        "        covered += stored.suffix(0) + [UInt8](repeating: 0, count: 8)\n",
        "AgentStorageTests.EventPayloadTests", "becomes the bytes that the event was"),
    Defect(
        95, "a payload with bytes left over is an event",
        f"{PLACE}/EventPayload.swift",
        "            reader.isAtEnd, event.content.kind == kind\n",
        "            event.content.kind == kind\n",
        "AgentStorageTests.EventPayloadTests",
        "of bytes that nobody wrote is none or some text, and never a trap"),
    Defect(
        96, "a word is put before the others that rows are known by",
        f"{PLACE}/PayloadWord.swift",
        '"decisive", "eager"', '"eager", "decisive"',
        "AgentStorageTests.StoredPayloadTests", "are read as the JSON that was sent of them"),
    Defect(
        97, "a damaged epoch costs the events that rest upon it",
        f"{PLACE}/QueueSalvage.swift",
        "[epoch, marked == epoch ? nil : marked]", "[epoch]",
        "AgentStorageTests.DamageTests", "is set aside and salvaged, tells of it, and goes on"),
    Defect(
        98, "a stored event that is not what was written is shown as if it were",
        f"{PLACE}/QueueRows.swift",
        "if isSound(row, epoch: epoch), let event", "if let event",
        "AgentStorageTests.DamageTests",
        "is told to those who look at the queue, and hides no event behind it"),
]
