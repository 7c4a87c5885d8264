import Delivery
import Simulation
import Timekeeping

extension DeliveryAccount {
    /// What must be true when the network has been clean for long enough.
    ///
    /// `utc` is the true time of a millisecond of the simulation.
    func checkEnd(
        _ server: SimulatedServer, utc: (Int64) -> UTCTime
    ) throws(DeliveryViolation) {
        var last: [String: (sequence: Int64, madeAt: Int64)] = [:]
        for record in records {
            let isStored = server.stored[record.id] != nil
            switch record.fate {
            case .acknowledged where !isStored:
                throw DeliveryViolation("\(record.id) is acknowledged and the server has it not")
            case .dead where !server.refusesForEver(record.id):
                throw DeliveryViolation("\(record.id) was given up, and the server wants it")
            case .pending where !server.isPoison(record.id):
                throw DeliveryViolation("\(record.id) is pending at the end")
            default: break
            }
            if let before = last[record.position.epoch], record.madeAt < before.madeAt {
                throw DeliveryViolation(
                    "\(record.position.sequence) was made before \(before.sequence)")
            }
            last[record.position.epoch] = (record.position.sequence, record.madeAt)
            if isStored { try checkTime(record, server, utc(record.madeAt)) }
        }
        try checkNames(server)
    }

    /// Times are within a second of the truth wherever an anchor of the boot was made.
    private func checkTime(
        _ record: DeliveryLedger.Record, _ server: SimulatedServer, _ truth: UTCTime
    ) throws(DeliveryViolation) {
        let time: UTCTime
        if let detected = record.detected {
            time = detected
        } else if anchoredBoots.contains(record.bootID.text), let uptime = record.uptime {
            guard let anchor = server.anchors[record.bootID.text] else {
                throw DeliveryViolation("no anchor of the boot of \(record.id) has arrived")
            }
            time = anchor.utc(at: uptime)
        } else {
            return
        }
        guard abs(time.milliseconds(since: truth)) <= 1000 else {
            throw DeliveryViolation(
                "\(record.id) is told as of \(time.rfc3339), it was \(truth.rfc3339)")
        }
    }

    private func checkNames(_ server: SimulatedServer) throws(DeliveryViolation) {
        let known = Set(records.map(\.id))
        for id in server.stored.keys.sorted() where !known.contains(id) {
            throw DeliveryViolation("the server has \(id), which was never committed")
        }
    }
}
