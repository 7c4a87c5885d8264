"""The defects: where each is planted, and the test that is to catch it."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Defect:
    number: int
    name: str
    # The edit: `old` stands once in `file`.
    file: str
    old: str
    new: str
    # What `swift test --filter` takes: the suites that are run.
    filter: str
    # The test that has to be among the failing ones.
    caught_by: str


STORE = "Sources/Agent/AgentStorage"
PLANNER = "Sources/Core/Delivery"

DEFECTS = [
    Defect(
        1, "the queue commits with synchronous NORMAL",
        f"{STORE}/QueueSchema.swift",
        'setPragma("synchronous", "FULL")', 'setPragma("synchronous", "NORMAL")',
        "AgentStorageTests.RestartTests", "is configured as the design says"),
    Defect(
        2, "events are settled before they are sent",
        "Sources/Agent/GeofenceAgent/Services/QueueOutbox.swift",
        "        guard !events.isEmpty else { return nil }\n",
        "        guard !events.isEmpty else { return nil }\n"
        "        try queue.settle(\n"
        "            events.map { Settlement(key: $0.key, fate: .acknowledged) }, state: .none)\n",
        "GeofenceAgentTests.QueueDrainTests",
        "ends where the server fails, after three tries where that may pass, and keeps all"),
    Defect(
        3, "any 200 is believed",
        "Sources/Adapters/HTTPTransport/HTTPEventSender.swift",
        "            let outcome = SendOutcome(answer, batchID: batch.batchID)\n",
        "            if answer.status == 200 {\n"
        "                let all = batch.events.map { ($0.clientEventID, Receipt.Result(.accepted)) }\n"
        "                return .receipt(Receipt(results: Dictionary(all) { first, _ in first }))\n"
        "            }\n"
        "            let outcome = SendOutcome(answer, batchID: batch.batchID)\n",
        "HTTPTransportTests.HTTPEventSenderTests",
        "takes none of the false receipts for one: no event leaves the queue"),
    Defect(
        4, "devices come back at once after the link is up",
        f"{PLANNER}/UploadPlanner+Surroundings.swift",
        "min(max(random, 0), 1) * UploadPolicy.networkSpreadSeconds", "0 * random",
        "DeliveryTests.UploadTimingTests",
        "a network event brings the first try within ten seconds after a local failure only"),
    Defect(
        5, "the epoch goes on after a quarantine",
        f"{STORE}/QueueReplacement.swift",
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
        6, "the server answers before its COMMIT",
        "Sources/Server/ReferenceServer/SQLiteStore/SQLiteWriter.swift",
        "            try connection.withTransaction(.immediate) {\n"
        "                for job in group { try Self.run(job, on: connection) }\n"
        "            }\n",
        "            if connection.isInTransaction { try connection.execute(\"COMMIT\") }\n"
        "            try connection.execute(\"BEGIN IMMEDIATE\")\n"
        "            for job in group { try Self.run(job, on: connection) }\n",
        "ReferenceServerTests.EventBatchTests",
        "an answer leaves after the commit, and not while the disk is held by another"),
    Defect(
        7, "sequence numbers are given out apart from the transaction",
        f"{STORE}/QueueStore.swift",
        "        var used: Int64?\n"
        "        try connection.transaction { () throws(SQLiteError) in\n"
        "            try first(&counters)\n",
        "        var used: Int64?\n"
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
        f"{STORE}/QueueStore.swift",
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
        9, "the exponent of the backoff is not clamped",
        f"{PLANNER}/RetryDelay.swift",
        "let exponent = min(failures, Self.greatestExponent)", "let exponent = failures",
        "DeliveryTests.RetryDelayTests", "stays within its bounds for a million failures in a row"),
    Defect(
        10, "a 401 takes the batch out of the queue",
        f"{PLANNER}/UploadPlanner.swift",
        "                seconds: UploadPolicy.authenticationProbeSeconds)\n"
        "        case 404, 405, 410, 415, 426:\n",
        "                seconds: UploadPolicy.authenticationProbeSeconds)\n"
        "            return batch.events.map {\n"
        "                Settlement(key: $0.key, fate: .dead(code: reason))\n"
        "            }\n"
        "        case 404, 405, 410, 415, 426:\n",
        "DeliveryTests.AnswerTableTests",
        "an answer that is no receipt removes nothing, and says when to try again"),
    Defect(
        11, "a batch that is refused with 422 is not bisected",
        f"{PLANNER}/UploadPlanner.swift",
        "        case 400, 422:\n"
        "            return bisect(batch, refusal, at: now, random: random)\n",
        "        case 400, 422:\n"
        "            return batch.events.map {\n"
        "                Settlement(key: $0.key, fate: .dead(code: reason))\n"
        "            }\n",
        "DeliveryTests.BisectionTests",
        "costs exactly the offenders, within 2 k log2(100) + 2 requests"),
    Defect(
        12, "the ballast is never made again",
        f"{STORE}/SQLiteEventQueue.swift",
        "            mayTakeSettled = true\n"
        "            files.makeBallast(bytes: limits.ballastBytes)\n",
        "            mayTakeSettled = true\n",
        "AgentStorageTests.FileSystemTests",
        "that others fill to the brim costs the ballast first, then memory, then recovers"),
]
