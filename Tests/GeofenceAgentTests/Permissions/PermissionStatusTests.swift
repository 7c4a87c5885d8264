import GeofenceAgent
import Testing
import WireFormat

struct PermissionStatusTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var receiver = PermissionFacts.Receiver.fix(detail: "fix, 3 m")
        var service = PermissionFacts.Service.enabled(unit: "geofenced.service")
        var state: String?
        var credential: PermissionFacts.Place? = PermissionFacts.Place(path: "/key")
        var status: PermissionStatus.Level
        var action: String

        var testDescription: String { "\(status.rawValue): \(action)" }
    }

    static let rows = [
        Row(receiver: .notTried, status: .notDetermined, action: "requestPermissions()"),
        Row(
            receiver: .missing(detail: "no device"), status: .notDetermined,
            action: "connect a receiver"),
        Row(receiver: .noFix(detail: "silent"), status: .notDetermined, action: "antenna"),
        Row(receiver: .refused(detail: "no permission"), status: .denied, action: "dialout"),
        Row(state: "read-only", status: .grantedWhenInUse, action: "write to /state"),
        Row(
            credential: PermissionFacts.Place(path: "/key", problem: "no such file"),
            status: .grantedWhenInUse, action: "device key to /key"),
        Row(
            credential: PermissionFacts.Place(
                path: "/key", problem: "mode 0644", remedy: "chmod 0600 /key"),
            status: .grantedWhenInUse, action: "chmod 0600 /key"),
        Row(
            service: .disabled(unit: "geofenced.service"), status: .grantedWhenInUse,
            action: "systemctl enable --now geofenced.service"),
        Row(
            service: .notInstalled(unit: "geofenced.service"), status: .grantedWhenInUse,
            action: "install geofenced.service"),
        Row(status: .grantedAlways, action: "nothing to do"),
        Row(credential: nil, status: .grantedAlways, action: "nothing to do"),
    ]

    @Test("every state of the device has one status and one next action", arguments: rows)
    func judges(_ row: Row) {
        let status = PermissionStatus(
            PermissionFacts(
                receiver: row.receiver, service: row.service,
                stateDirectory: PermissionFacts.Place(path: "/state", problem: row.state),
                credential: row.credential))
        #expect(status.status == row.status)
        #expect(status.nextAction.contains(row.action))
        #expect(!status.reason.isEmpty)
    }

    @Test("no status is better than what the receiver allows, whatever else is in order")
    func receiverComesFirst() {
        for receiver: PermissionFacts.Receiver in [
            .notTried, .missing(detail: "x"), .refused(detail: "x"), .noFix(detail: "x"),
        ] {
            let status = PermissionStatus(
                PermissionFacts(
                    receiver: receiver, service: .enabled(unit: "u"),
                    stateDirectory: PermissionFacts.Place(path: "/state"), credential: nil))
            #expect([.notDetermined, .denied].contains(status.status))
        }
    }

    @Test("the JSON carries its schema")
    func hasSchema() throws {
        let status = PermissionStatus(.denied, reason: "r", nextAction: "n")
        let text = String(decoding: try WireCoding.encode(status), as: UTF8.self)
        #expect(text.contains("\"schema\":\"geofenced.permissions/1\""))
        #expect(text.contains("\"status\":\"denied\""))
        #expect(try WireCoding.decode(PermissionStatus.self, from: Array(text.utf8)) == status)
    }
}
