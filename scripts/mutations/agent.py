"""What joins queue, planner and server in a running agent."""
from mutations.defect import Defect

SERVICES = "Sources/Agent/GeofenceAgent/Services"
TRANSPORT = "Sources/Adapters/HTTPTransport"
RECEIPT = "Sources/Core/WireFormat/SendOutcome+HTTPAnswer.swift"

AGENT = [
    Defect(
        2, "events are settled before they are sent",
        f"{SERVICES}/QueueOutbox.swift",
        "        guard !events.isEmpty else { return nil }\n",
        "        guard !events.isEmpty else { return nil }\n"
        "        try queue.settle(\n"
        "            events.map { Settlement(key: $0.key, fate: .acknowledged) }, state: .none)\n",
        "GeofenceAgentTests.QueueDrainTests",
        "ends where the server fails, after three tries where that may pass, and keeps all"),
    Defect(
        3, "any 200 is believed",
        f"{TRANSPORT}/HTTPEventSender.swift",
        "            let outcome = SendOutcome(answer, batchID: batch.batchID)\n",
        "            if answer.status == 200 {\n"
        "                let all = batch.events.map { ($0.clientEventID, Receipt.Result(.accepted)) }\n"
        "                return .receipt(Receipt(results: Dictionary(all) { first, _ in first }))\n"
        "            }\n"
        "            let outcome = SendOutcome(answer, batchID: batch.batchID)\n",
        "HTTPTransportTests.HTTPEventSenderTests",
        "takes none of the false receipts for one: no event leaves the queue"),
    Defect(
        36, "a device that the server does not know goes on asking for fences",
        f"{SERVICES}/TrackingService+Outbox.swift",
        "func uploadsPaused(until time: Uptime?) { pipeline.pauseSyncs(until: time) }",
        "func uploadsPaused(until time: Uptime?) {}",
        "EmbeddedAgentTests.AgentServicesTests/uploadsPauseSyncs",
        "ask for no fences once an upload has found out that the server does not know the device"),
    Defect(
        37, "a device that may not ask for fences goes on uploading",
        f"{SERVICES}/UploadService.swift",
        "            planner.refusedElsewhere(failure?.message ?? \"\", at: time.uptime)\n",
        "            break\n",
        "EmbeddedAgentTests.AgentServicesTests/syncsPauseUploads",
        "stop uploads once a question for fences has found out, and say so"),
    Defect(
        38, "who slept with the machine is stuck",
        f"{SERVICES}/Liveness.swift",
        "        let now = time.awakeMilliseconds\n        return gate",
        "        let now = time.uptime.milliseconds\n        return gate",
        "GeofenceAgentTests.LivenessTests",
        "a machine that was suspended for hours has nobody who is stuck, until they are"),
    Defect(
        39, "any certificate is believed",
        f"{TRANSPORT}/CurlClient.swift",
        "(CURLOPT_SSL_VERIFYPEER, 1)", "(CURLOPT_SSL_VERIFYPEER, 0)",
        "HTTPTransportTests.CertificateTests",
        "an own authority is trusted, and only where it is configured"),
    Defect(
        62, "a stop waits for the resolver",
        f"{TRANSPORT}/CurlClient.swift",
        "        geofenced_curl_set_quick_exit(handle)\n", "",
        "HTTPTransportTests.SilentResolverTests",
        "holds up no stop: neither the request nor the end of the connection waits for it"),
    Defect(
        63, "the journal is told at each try how the server is found",
        f"{SERVICES}/UploadService.swift",
        "guard let state = planner.connectivity, state != reported else { return }",
        "guard let state = planner.connectivity else { return }",
        "EmbeddedAgentTests.AgentServicesTests/toldOnce",
        "tell the journal once how the server is found, however often they try"),
    Defect(
        74, "the receipt of another batch is believed",
        RECEIPT, "guard document.batchID.text == batchID else {",
        "guard !document.batchID.text.isEmpty else {",
        "HTTPTransportTests.HTTPEventSenderTests",
        "takes none of the false receipts for one: no event leaves the queue"),
    Defect(
        75, "a receipt that is cut off is believed",
        RECEIPT, "guard answer.isComplete, answer.body.count", "guard answer.body.count",
        "HTTPTransportTests.HTTPEventSenderTests",
        "takes none of the false receipts for one: no event leaves the queue"),
    Defect(
        76, "of two words on one event the last is believed",
        RECEIPT,
        "results[id] == nil ? result : Result(.deferred(retryAfterSeconds: nil))", "result",
        "HTTPTransportTests.HTTPEventSenderTests",
        "takes none of the false receipts for one: no event leaves the queue"),
    Defect(
        77, "redirections are followed",
        f"{TRANSPORT}/CurlClient.swift",
        "(CURLOPT_FOLLOWLOCATION, 0)", "(CURLOPT_FOLLOWLOCATION, 1)",
        "HTTPTransportTests.HTTPEventSenderTests",
        "follows no redirection, not even to a server that would answer"),
]
