import Delivery
import Geofencing
import Testing
import Timekeeping

@testable import GeofenceAgent

@Suite("How the server was found")
struct ServerFindingTests {
    static func upload(_ state: ConnectivityState?, at seconds: Int64?) -> UploadStatus {
        UploadStatus(
            connectivity: state, reason: state == .online ? nil : "upload says so", failures: 0,
            checkedAt: seconds.map { Uptime(milliseconds: $0 * 1000) })
    }

    static func fences(_ failure: FenceFetchFailure?, at seconds: Int64?) -> FenceSourceState {
        var state = FenceSourceState()
        state.failure = failure
        state.checkedAt = seconds.map { Uptime(milliseconds: $0 * 1000) }
        return state
    }

    static let refused = FenceFetchFailure(.authentication, "HTTP 401: key_unknown")

    @Test("before the first answer nothing is known")
    func unknown() {
        let finding = ServerFinding(upload: nil, fences: Self.fences(nil, at: nil))
        #expect(finding.state == "unknown")
    }

    @Test(
        "a device without events knows from the fence source what is wrong",
        arguments: [
            (FenceFetchFailure.Kind.authentication, "authenticationFailed"),
            (.configuration, "endpointMismatch"), (.server, "serverBusy"),
            (.local, "connectFailed"),
        ])
    func fromFences(kind: FenceFetchFailure.Kind, state: String) {
        let failure = FenceFetchFailure(kind, "why")
        let finding = ServerFinding(
            upload: Self.upload(nil, at: nil), fences: Self.fences(failure, at: 5))
        #expect(finding.state == state)
        #expect(finding.reason == "why")
    }

    @Test("the finer state of the connection is told where it is known")
    func finer() {
        var failure = FenceFetchFailure(.local, "no name")
        failure.connectivity = ConnectivityState.dnsFailed.rawValue
        let finding = ServerFinding(upload: nil, fences: Self.fences(failure, at: 1))
        #expect(finding.state == "dnsFailed")
    }

    @Test("the later word counts")
    func later() {
        let upload = Self.upload(.online, at: 10)
        #expect(
            ServerFinding(upload: upload, fences: Self.fences(Self.refused, at: 11)).state
                == "authenticationFailed")
        #expect(
            ServerFinding(upload: upload, fences: Self.fences(Self.refused, at: 9)).state
                == "online")
        let busy = Self.upload(.serverBusy, at: 10)
        let finding = ServerFinding(upload: busy, fences: Self.fences(nil, at: 11))
        #expect(finding.state == "online")
        #expect(finding.reason == nil)
    }
}
