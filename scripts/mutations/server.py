"""The reference server."""
from mutations.defect import Defect

PLACE = "Sources/Server/ReferenceServer"
STORE = f"{PLACE}/SQLiteStore"
WEB = "Sources/Adapters/WebServer"

SERVER = [
    Defect(
        6, "the server answers before its COMMIT",
        f"{STORE}/SQLiteWriter.swift",
        "            try connection.withTransaction(.immediate) {\n"
        "                for job in group { try Self.run(job, on: connection) }\n"
        "            }\n",
        "            if connection.isInTransaction { try connection.execute(\"COMMIT\") }\n"
        "            try connection.execute(\"BEGIN IMMEDIATE\")\n"
        "            for job in group { try Self.run(job, on: connection) }\n",
        "ReferenceServerTests.EventBatchTests",
        "an answer leaves after the commit, and not while the disk is held by another"),
    Defect(
        40, "an answer lacks a member that the contract requires",
        f"{PLACE}/Routes/DeviceExport.swift",
        "(\"utc\", .string(anchor.utc.rfc3339)), (\"source\", .string(anchor.source)),\n",
        "(\"utc\", .string(anchor.utc.rfc3339)),\n",
        "ReferenceServerTests.ContractTests",
        "every operation agrees, with all members and header fields that the document requires"),
    Defect(
        41, "a refusal lacks a header field that the contract requires",
        f"{PLACE}/HTTP/Authentication.swift",
        ", headers: [\"WWW-Authenticate\": \"Bearer\"])", ")",
        "ReferenceServerTests.ContractTests",
        "every operation agrees, with all members and header fields that the document requires"),
    Defect(
        42, "the same id with another payload is a duplicate",
        f"{STORE}/SQLiteServerStore+Ingest.swift",
        "return known.hash == event.payloadHash ? .duplicate(known.verdict) : .idReused",
        "return .duplicate(known.verdict)",
        "ReferenceServerTests.EventBatchTests",
        "the same again is a duplicate, the same id with anything else is refused"),
    Defect(
        43, "an administrator revokes the keys of other workspaces",
        f"{STORE}/SQLiteServerStore+Keys.swift",
        "                    WHERE id = ? AND workspace = ?\n"
        "                \"\"\", now.millisecondsSince1970, id, workspace)\n",
        "                    WHERE id = ?\n"
        "                \"\"\", now.millisecondsSince1970, id)\n",
        "ReferenceServerTests.IsolationTests",
        "no route of one shows or changes anything of the other"),
    Defect(
        44, "ids are compared as Unicode does",
        f"{PLACE}/Store/ExactText.swift",
        "left.withBytes { bytes in right.withBytes { bytes.elementsEqual($0) } }",
        "left.text == right.text",
        "ReferenceServerTests.SpellingTests", "equal only where the bytes are"),
    Defect(
        45, "the month's quota counts requests",
        f"{STORE}/SQLiteServerStore+Ingest.swift",
        "SQLiteServerStore.month(of: now), accepted)", "SQLiteServerStore.month(of: now), 1)",
        "ReferenceServerTests.EventBatchTests",
        "beyond the month's events the rest waits, duplicates do not count"),
    Defect(
        46, "a device that only asks is outside the limit",
        f"{PLACE}/ReferenceServer.swift",
        "            try register.admit(deviceID, call.deviceReport, to: workspace, now: now)\n", "",
        "ReferenceServerTests.DeviceRegisterTests",
        "a new one beyond the limit is 403 on every route, a known one goes on"),
    Defect(
        47, "retention believes a clock that has jumped",
        f"{PLACE}/Store/RetentionDays.swift",
        "let isNext = trusted.map { today <= $0 + Self.longestStep } ?? false",
        "let isNext = trusted != nil",
        "ReferenceServerTests.RetentionTests",
        "a clock that jumps ten years ahead deletes nothing, unless the next day agrees with it"),
    Defect(
        48, "retention believes a clock that nobody vouches for",
        f"{PLACE}/Store/Retention.swift",
        "        guard clock.isSynchronised else { return .unsynchronised }\n", "",
        "ReferenceServerTests.RetentionTests",
        "a clock that nobody vouches for deletes nothing, whatever it says"),
    Defect(
        49, "nested queues are ordered as they arrived",
        f"{STORE}/EventOrder.swift",
        "        (CASE WHEN \\(one.epoch) <> \\(other.epoch) AND \\(one.boot) <> \\(other.boot)\n"
        "                THEN \\(one.boot) > \\(other.boot)\n"
        "            WHEN \\(one.epoch) <> \\(other.epoch) AND \\(one.boot) = \\(other.boot)\n"
        "                AND \\(one.uptime) <> \\(other.uptime)"
        " THEN \\(one.uptime) > \\(other.uptime)\n"
        "            ELSE (\\(one.epoch), \\(one.sequence)) >"
        " (\\(other.epoch), \\(other.sequence)) END)\n",
        "        ((\\(one.epoch), \\(one.sequence)) > (\\(other.epoch), \\(other.sequence)))\n",
        "ReferenceServerTests.ServerStoreContractTests",
        "after a queue in memory the disk's queue goes on:"
        " neither its exits nor its visits are older"),
    Defect(
        50, "a key opens the routes of every scope",
        f"{PLACE}/HTTP/Authentication.swift",
        "guard key.scope.isDevice == (access == .device) else {",
        "guard key.scope.isDevice || access != .device else {",
        "ReferenceServerTests.ConventionTests", "a key opens the routes of its scope only"),
    Defect(
        51, "a key that another process has revoked goes on working",
        f"{STORE}/CommitCache.swift",
        "{ $0.commit == commit ? $0.values[key] : nil }", "{ $0.values[key] }",
        "ReferenceServerTests.FenceIndexTests",
        "a key that another process revokes, and a plan that it changes, count at once"),
    Defect(
        52, "another request under the same Idempotency-Key gets the first answer",
        f"{PLACE}/HTTP/Idempotency.swift",
        "        guard known.hash == hash else {\n", "        guard !known.hash.isEmpty else {\n",
        "ReferenceServerTests.IdempotencyTests",
        "another body, or another path, under the same key is 422"),
    Defect(
        53, "who reads waits behind who writes",
        f"{PLACE}/HTTP/Route.swift",
        "lane ?? (method == \"GET\" ? .reads : .writes)", ".writes",
        "ReferenceServerTests.LaneTests", "the route says in which lane a request waits"),
    Defect(
        54, "the line before the workers has no end",
        f"{WEB}/WorkerPool.swift",
        "guard !state.isClosed, state.jobs.count - state.head < capacity else {",
        "guard !state.isClosed else {",
        "WebServerTests.HTTPServerTests/overload",
        "a full line before the workers is refused with 503 and Retry-After"),
    Defect(
        55, "a body that does not announce its length is not counted",
        f"{WEB}/RequestIntake.swift",
        "{ receivedBytes > limits.bodyBytes || announcedTooLarge }", "{ announcedTooLarge }",
        "WebServerTests.HTTPServerTests/bodyLimit",
        "one byte over the body limit gets 413, announced or counted"),
    Defect(
        64, "of many new devices at once those beyond the first few are refused",
        f"{PLACE}/HTTP/DeviceRegister.swift",
        "        guard isFree else { return false }\n",
        "        guard isFree else { throw StoreError.failed(\"too many at once\") }\n",
        "ReferenceServerTests.DeviceRegisterTests",
        "many new ones at once are served, while as many as may wait for the database"),
    Defect(
        65, "PUT config does not know the cap of the backoff",
        f"{PLACE}/Routes/ConfigurationRoutes.swift",
        "[\"max_batch\", \"interval_s\", \"backoff_cap_s\"]", "[\"max_batch\", \"interval_s\"]",
        "ReferenceServerTests.FenceAdministrationTests",
        "the configuration has defaults, a revision, and refuses what it does not know"),
    Defect(
        66, "a late older event takes a verdict away",
        f"{STORE}/NotificationJudge.swift",
        "            time.advanced(byMilliseconds: reach).millisecondsSince1970, campaign?.id,"
        " campaign?.id\n",
        "            time.millisecondsSince1970, campaign?.id, campaign?.id\n",
        "ReferenceServerTests.VerdictTests",
        "a late older event revokes no verdict, and keeps away from it"),
    Defect(
        67, "an Idempotency-Key whose request was cut short runs it again",
        f"{PLACE}/HTTP/Idempotency.swift",
        "        if let known = try store.reserveAnswer(key, hash: hash, in: call.workspace,"
        " now: call.now) {\n",
        "        if let known = try store.reserveAnswer(key, hash: hash, in: call.workspace,"
        " now: call.now),\n            known.response != nil\n        {\n",
        "ReferenceServerTests.IdempotencyTests", "one that was cut short is not done again"),
    Defect(
        68, "who wrote no fences waits for them to be read",
        f"{STORE}/SQLiteServerStore+Ingest.swift",
        "        try writer.write { connection in\n            var ingestion",
        "        try writeFences { connection in\n            var ingestion",
        "ReferenceServerTests.FenceIndexTests",
        "while somebody reads what another process wrote, events are kept"),
    Defect(
        69, "a device that is silent for years is kept for ever",
        f"{PLACE}/Store/Retention.swift",
        "        var silent: Int64? = 0\n", "        var silent: Int64?\n",
        "ReferenceServerTests.RetentionTests",
        "a device that has been silent for as long is forgotten, one that waits loses what it said"),
    Defect(
        78, "a trial that is over goes on getting fences",
        f"{PLACE}/Routes/DeviceConfiguration.swift",
        "        if isTrialOver { config.fenceLimit = 0 }\n", "",
        "ReferenceServerTests.NearestTests",
        "a trial that is over gets no fences and the kill switch"),
    Defect(
        79, "a shortened answer has the radius of the whole one",
        f"{PLACE}/Fences/NearestSelection.swift",
        "            tags.count < nearest.fences.count\n"
        "            ? nearest.fences[tags.count].distanceMeters : nearest.nextDistanceMeters\n",
        "            nearest.nextDistanceMeters\n",
        "ReferenceServerTests.NearestTests",
        "an answer is cut to its size, never below one fence, and the radius with it"),
    Defect(
        80, "what a failed change has done stays, where others commit with it",
        f"{STORE}/SQLiteWriter.swift",
        "        if connection.totalChanges != before { throw HalfMadeChange() }\n", "",
        "ReferenceServerTests.SQLiteWriterTests",
        "a change that fails half-way is undone alone, whatever it shares its transaction with"),
    Defect(
        81, "the code of an erased device still gives a key",
        f"{STORE}/SQLiteServerStore+Privacy.swift",
        "        try connection.run(\n            \"DELETE FROM provision_codes"
        " WHERE workspace = ? AND device_id = ?\", workspace, id)\n", "",
        "ReferenceServerTests.PrivacyTests",
        "a code for an erased device gives no key any more; those for others and for any do"),
    Defect(
        82, "what is erased stays in the file",
        f"{STORE}/SQLiteServerStore.swift",
        "setPragma(\"secure_delete\", \"FAST\")", "setPragma(\"secure_delete\", \"OFF\")",
        "ReferenceServerTests.PrivacyTests",
        "an erased device is gone, from the file as well, its keys with it; others stay"),
    Defect(
        83, "two devices under one name are not noticed",
        f"{STORE}/EpochSpans.swift",
        "AND (a.first_ms < b.first_ms) = (a.last_ms < b.last_ms)", "AND 0",
        "ReferenceServerTests.ServerStoreContractTests",
        "two queues at the same time are noticed, queues after or within each other are none"),
    Defect(
        84, "who guesses keys is answered at once",
        f"{PLACE}/ReferenceServer.swift",
        "max(0, count) * RequestLimits.secondsPerRefusal", "0 * RequestLimits.secondsPerRefusal",
        "ReferenceServerTests.RequestRateTests",
        "who guesses keys or codes waits longer and longer, others do not, and it passes"),
]
