import WebServer

/// `/v1/healthz` says that the process answers, `/v1/readyz` that its store works.
enum HealthRoutes {
    static let all = [
        Route(
            "/v1/healthz",
            [
                "GET": .open { _ in
                    .object([("status", .string("ok"))])
                }
            ]),
        Route(
            "/v1/readyz",
            [
                // It takes the write lock, and waits as long as any batch would.
                "GET": .open(in: .writes) { call in
                    try call.store.checkReadiness()
                    return .object([("status", .string("ready"))])
                }
            ]),
        Route("/metrics", ["GET": .open(metrics)]),
    ]

    /// What the store does not say is left out: the rest is needed most when the store fails.
    private static func metrics(_ call: Call) -> Response {
        var alarm = ""
        if let count = try? call.store.interleavedDeviceCount() {
            alarm = """
                # HELP geofence_server_interleaved_devices Names under which there are two devices.
                # TYPE geofence_server_interleaved_devices gauge
                geofence_server_interleaved_devices \(count)

                """
        }
        return Response(
            status: 200, headers: ["Content-Type": "text/plain; version=0.0.4"],
            body: Array((call.metrics.text + alarm).utf8))
    }
}
