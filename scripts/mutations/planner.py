"""What decides when to send, and what an answer means."""
from mutations.defect import Defect

PLACE = "Sources/Core/Delivery"

PLANNER = [
    Defect(
        4, "devices come back at once after the link is up",
        f"{PLACE}/UploadPlanner+Surroundings.swift",
        "min(max(random, 0), 1) * UploadPolicy.networkSpreadSeconds", "0 * random",
        "DeliveryTests.UploadTimingTests",
        "a network event brings the first try within ten seconds after a local failure only"),
    Defect(
        9, "the exponent of the backoff is not clamped",
        f"{PLACE}/RetryDelay.swift",
        "let exponent = min(failures, Self.greatestExponent)", "let exponent = failures",
        "DeliveryTests.RetryDelayTests", "stays within its bounds for a million failures in a row"),
    Defect(
        10, "a 401 takes the batch out of the queue",
        f"{PLACE}/UploadPlanner.swift",
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
        f"{PLACE}/UploadPlanner.swift",
        "        case 400, 422:\n"
        "            return bisect(batch, refusal, at: now, random: random)\n",
        "        case 400, 422:\n"
        "            return batch.events.map {\n"
        "                Settlement(key: $0.key, fate: .dead(code: reason))\n"
        "            }\n",
        "DeliveryTests.BisectionTests",
        "costs exactly the offenders, within 2 k log2(100) + 2 requests"),
    Defect(
        13, "an event that is refused alone is given up at once",
        f"{PLACE}/RefusedEvents.swift",
        "suspects.hold(event, code: refusal.words, isTooLarge: isTooLarge, at: now)\n",
        "finding.settlements.append(Settlement(event, .dead(code: refusal.words)))\n",
        "DeliveryTests.BisectionTests",
        "is a single event that waits for proof, and is given up when it is refused three times more"),
    Defect(
        14, "an acceptance of any age is proof against an event",
        f"{PLACE}/Suspect.swift", "return now < provenUntil", "return provenUntil >= Uptime(milliseconds: 0)",
        "DeliveryTests.BisectionTests",
        "waits for fresh proof: an event that was accepted a while ago shows nothing"),
    Defect(
        15, "a duplicate is proof against an event",
        f"{PLACE}/ReceiptReading.swift",
        "if result.status == .accepted { acceptedCount += 1 }", "acceptedCount += 1",
        "DeliveryTests.BisectionTests",
        "is a single event that waits for proof, and is given up when it is refused three times more"),
    Defect(
        16, "a refusal for another reason is a second word on an event",
        f"{PLACE}/Suspect.swift",
        "self.event == event.clientEventID && self.isTooLarge == isTooLarge",
        "self.event == event.clientEventID",
        "DeliveryTests.BisectionTests",
        "refused in turns as wrong and as too large has no event that was refused twice"),
    Defect(
        17, "an event that is refused again is known by its row alone",
        f"{PLACE}/Suspect.swift",
        "self.event == event.clientEventID && self.isTooLarge == isTooLarge",
        "self.isTooLarge == isTooLarge",
        "DeliveryTests.BisectionTests",
        "whose offender has given its row to another event blames that one for nothing"),
    Defect(
        18, "a request that dies with its route is a failure of the server",
        f"{PLACE}/UploadPlanner+Findings.swift",
        "state.isLocal || (!isAnswer && network.lackedRoute)", "state.isLocal",
        "DeliveryTests.UploadTimingTests",
        "a request that dies with its route is a local failure, whatever it looks like"),
    Defect(
        19, "a network that returns ends the backoff of a busy server",
        f"{PLACE}/UploadPlanner+Surroundings.swift",
        "spreadSeconds: spread), isFailureLocal else {", "spreadSeconds: spread) else {",
        "DeliveryTests.UploadTimingTests",
        "a network event brings the first try within ten seconds after a local failure only"),
    Defect(
        20, "one event that is too large stops the others",
        f"{PLACE}/UploadPlanner.swift",
        "            // One event of a kilobyte: somebody's limit, or an event that grew. Others go on.\n"
        "            return bisect(batch, refusal, at: now, random: random)\n",
        "            notBefore = now.advanced(bySeconds: UploadPolicy.mismatchProbeSeconds)\n",
        "DeliveryTests.AnswerTableTests",
        "413 for a single event deletes nothing and lets the others go on"),
    Defect(
        21, "the cap of the backoff is ignored",
        f"{PLACE}/RetryDelay.swift",
        "let range = min(capSeconds, baseSeconds * Double(1 << exponent))",
        "let range = baseSeconds * Double(1 << exponent)",
        "DeliveryTests.RetryDelayTests",
        "takes a cap from the configuration, but never more than 15 minutes"),
    Defect(
        22, "a Retry-After shortens the wait",
        f"{PLACE}/RetryDelay.swift",
        "return max(delay, asked * (1 + Self.retryAfterSpread * fraction))",
        "return asked * (1 + Self.retryAfterSpread * fraction)",
        "DeliveryTests.RetryDelayTests", "is not shortened by a small Retry-After"),
    Defect(
        23, "a bisection that has spent its hour holds back what is new",
        f"{PLACE}/RefusedEvents.swift",
        "bisection.isFull ? bisection.blockedUntil(at: now) : nil",
        "bisection.blockedUntil(at: now)",
        "DeliveryTests.BisectionTests",
        "that has spent its requests of the hour does not hold back what is new"),
    Defect(
        24, "each deferred event takes a place of its own",
        f"{PLACE}/Deferrals.swift",
        "if let running = run, until != running.until {", "if let running = run {",
        "DeliveryTests.AnswerTableTests",
        "a backlog that the server puts off does not stop what comes after it"),
    Defect(
        25, "clock anchors that the server fails at hold up events",
        f"{PLACE}/UploadPlanner+Findings.swift",
        "            guard retryAfterSeconds != nil else { return found(state, reason) }\n", "",
        "DeliveryTests.AnchorDeliveryTests",
        "the server fails at are offered after doubling delays, up to an hour, and no event waits"),
    Defect(
        26, "a heartbeat that is refused stops uploads",
        f"{PLACE}/UploadPlanner+Heartbeats.swift",
        "        default: heartbeats.refused(at: now, seconds: UploadPolicy.mismatchProbeSeconds)\n",
        "        default:\n"
        "            pause(\n"
        "                .endpointMismatch, refusal.explanation, at: now,\n"
        "                seconds: UploadPolicy.mismatchProbeSeconds)\n",
        "DeliveryTests.HeartbeatTests",
        "a server without use for heartbeats still gets events, and one heartbeat an hour"),
    Defect(
        60, "an event that is answered apart from its refused group stays in it",
        f"{PLACE}/RefusedEvents.swift",
        "if bisection.isRunning { bisection.taken() } else { bisection.forget(receipt.answered) }",
        "if bisection.isRunning { bisection.taken() }",
        "DeliveryTests.BisectionTests",
        "asks no more for an event that the server has deferred apart from its group"),
    Defect(
        61, "a backlog whose batches end by their bytes goes at the pace of a trickle",
        f"{PLACE}/UploadPlanner+Events.swift",
        "        let held = deferrals.keys.union(refusedEvents.keys)\n"
        "        let sent = batch.events.filter { !held.contains($0.key) }.count\n"
        "        return pendingCount - Int64(sent + limit) >= held.countAtMost\n",
        "        return false\n",
        "DeliveryTests.UploadTimingTests",
        "a backlog of long events, whose batches end by their bytes, drains at full speed, too"),
    Defect(
        73, "a machine that was suspended has the network that it had",
        f"{PLACE}/NetworkWatch.swift",
        "guard !isResumed else {", "guard !isResumed || view == before else {",
        "DeliveryTests.NetworkWatchTests", "after a suspension is news, however the network looks"),
    Defect(
        85, "what was said of the keys of an old queue holds for the new one's",
        f"{PLACE}/UploadPlanner+Surroundings.swift",
        "guard epoch != self.epoch else { return }", "guard self.epoch == nil else { return }",
        "DeliveryTests.EpochChangeTests",
        "sends at once what has the keys of events that the server put off for a day"),
    Defect(
        86, "an offer that failed on its way goes again on the same proof",
        f"{PLACE}/Suspects.swift",
        "        if offered != nil { offers = 0 }\n", "",
        "DeliveryTests.BisectionTests",
        "waits for another proof where its next offer fails on its way"),
    Defect(
        87, "what was accepted before a refusal is proof against it",
        f"{PLACE}/Suspects.swift",
        "known.lazy.filter { $0.value.isDue(at: now) }.map(\\.key).min()",
        "known.lazy.filter { $0.value.heldUntil != nil }.map(\\.key).min()",
        "DeliveryTests.BisectionTests",
        "takes nothing for proof that was accepted before the refusal"),
    Defect(
        88, "an event that nothing singles out is given up at its second refusal",
        f"{PLACE}/Suspect.swift",
        "return isSingledOut ? 1 : UploadPolicy.loneRefusals", "return 1",
        "DeliveryTests.SuspectTests",
        "by a server that accepts one event, and then refuses everything again, is kept twice"),
    Defect(
        89, "a refused event that was held for an hour begins anew",
        f"{PLACE}/Suspects.swift", "known[key]?.heldUntil = nil", "known[key] = nil",
        "DeliveryTests.SuspectTests",
        "leaves the queue of the quietest device after the third event behind it"),
    Defect(
        90, "a refused event that is taken says nothing of the others",
        f"{PLACE}/Suspects.swift",
        "        if receipt.taken.contains(where: { known[$0] != nil }) { known = [:] }\n", "",
        "DeliveryTests.SuspectTests",
        "that is taken as the probe of a pause lets the others go at once"),
    Defect(
        91, "a search that was broken off is proof as if nothing had been",
        f"{PLACE}/Bisection.swift", "        lastAccepted = nil\n", "",
        "DeliveryTests.SuspectTests",
        "at the end of a search that was broken off behind the last accepted event stands as alone"),
]
