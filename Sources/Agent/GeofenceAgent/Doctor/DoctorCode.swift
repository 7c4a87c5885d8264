/// The stable codes of the doctor's findings, `D-AREA-NN`. The number tells how bad it is: 00 is
/// well, 01 ... 49 fails, 51 ... 89 warns, 91 and above were skipped. A code never changes its
/// meaning; docs/doctor.md has the list.
public enum DoctorCode: String, Codable, Hashable, Sendable, CaseIterable {
    case configurationAccepted = "D-CONF-00"
    case configurationRefused = "D-CONF-01"
    case configuredFileUnusable = "D-CONF-02"

    case keyUsable = "D-CRED-00"
    case keyUnreadable = "D-CRED-01"
    case keyTooOpen = "D-CRED-02"
    case keyInvalid = "D-CRED-03"
    case keyNotNeeded = "D-CRED-91"

    case stateWritable = "D-STATE-00"
    case stateMissing = "D-STATE-01"
    case stateNotWritable = "D-STATE-02"
    case stateForeignFiles = "D-STATE-03"
    case stateTooOpen = "D-STATE-51"

    case spaceEnough = "D-SPACE-00"
    case spaceExhausted = "D-SPACE-01"
    case spaceLow = "D-SPACE-51"
    case spaceUnknown = "D-SPACE-91"

    case syncFast = "D-FSYNC-00"
    case syncFailed = "D-FSYNC-01"
    case syncSlow = "D-FSYNC-51"
    case syncNotMeasured = "D-FSYNC-91"

    case queueSound = "D-QUEUE-00"
    case queueDamaged = "D-QUEUE-01"
    case queueUnreadable = "D-QUEUE-02"
    case queueNewer = "D-QUEUE-03"
    case queueDeadLetters = "D-QUEUE-51"
    case queueAbsent = "D-QUEUE-91"
    case queueNotChecked = "D-QUEUE-92"

    case countsBalanced = "D-COUNT-00"
    case countsWrong = "D-COUNT-01"
    case countsNotRead = "D-COUNT-91"

    case clockGood = "D-CLOCK-00"
    case clockImpossible = "D-CLOCK-01"
    case clockWithoutSource = "D-CLOCK-51"
    case clockOff = "D-CLOCK-52"

    case routePresent = "D-ROUTE-00"
    case routeAbsent = "D-ROUTE-01"
    case routeNotNeeded = "D-ROUTE-91"
    case routeUnknown = "D-ROUTE-92"

    case nameResolved = "D-DNS-00"
    case nameNotResolved = "D-DNS-01"
    case nameTimedOut = "D-DNS-02"
    case nameNotNeeded = "D-DNS-91"

    case connected = "D-TCP-00"
    case connectionRefused = "D-TCP-01"
    case connectionTimedOut = "D-TCP-02"
    case connectionFailed = "D-TCP-03"
    case connectionNotTried = "D-TCP-91"

    case encrypted = "D-TLS-00"
    case encryptionFailed = "D-TLS-01"
    case encryptionClock = "D-TLS-02"
    case encryptionNotNeeded = "D-TLS-91"
    case encryptionNotTried = "D-TLS-92"

    case serverHealthy = "D-HEALTH-00"
    case serverBusy = "D-HEALTH-01"
    case serverNotOurs = "D-HEALTH-02"
    case serverWrongAddress = "D-HEALTH-03"
    case serverSilent = "D-HEALTH-04"
    case serverNotAsked = "D-HEALTH-91"

    case authorised = "D-AUTH-00"
    case keyRefused = "D-AUTH-01"
    case keyForbidden = "D-AUTH-02"
    case authorisationUnclear = "D-AUTH-03"
    case authorisationNotAsked = "D-AUTH-91"

    case portPresent = "D-PORT-00"
    case portMissing = "D-PORT-01"
    case portNotADevice = "D-PORT-02"
    case portNotNeeded = "D-PORT-91"

    case portReadable = "D-GROUP-00"
    case portNotReadable = "D-GROUP-01"
    case portRightsUnknown = "D-GROUP-91"

    case portFree = "D-HOLD-00"
    case portHeld = "D-HOLD-01"
    case portHolderUnknown = "D-HOLD-91"

    case consoleElsewhere = "D-CONSOLE-00"
    case consoleOnPort = "D-CONSOLE-01"
    case consoleUnknown = "D-CONSOLE-91"

    case gpsdApart = "D-GPSD-00"
    case gpsdFights = "D-GPSD-01"
    case gpsdAbsent = "D-GPSD-02"
    case gpsdNotConcerned = "D-GPSD-91"

    case sentencesHeard = "D-DATA-00"
    case noBytes = "D-DATA-01"
    case noSentences = "D-DATA-02"
    case sentencesNotHeard = "D-DATA-91"

    case fixFresh = "D-FIX-00"
    case fixStale = "D-FIX-51"
    case fixAbsent = "D-FIX-52"
    case fixUnknown = "D-FIX-91"

    case agentRunning = "D-AGENT-00"
    case agentUnreachable = "D-AGENT-01"
    case agentInMemory = "D-AGENT-02"
    case agentStopped = "D-AGENT-51"

    case watchdogSet = "D-DOG-00"
    case watchdogMissing = "D-DOG-51"
    case watchdogUnknown = "D-DOG-91"

    /// How bad the finding is.
    public var status: DoctorCheck.Status {
        let number = Int(rawValue.suffix(2)) ?? 1
        switch number {
        case 0: return .ok
        case ..<50: return .fail
        case ..<90: return .warn
        default: return .skipped
        }
    }

    /// The area, "CRED".
    public var area: Substring { rawValue.dropFirst(2).dropLast(3) }
}
