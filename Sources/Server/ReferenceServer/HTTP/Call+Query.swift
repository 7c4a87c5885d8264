import Timekeeping
import WireFormat

extension Call {
    /// The first value of a name in the query; nil: absent.
    func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

    /// A number of the query; nil: absent. Throws outside the range.
    func number(
        _ name: String, in range: ClosedRange<Double>
    ) throws(RequestProblem) -> Double? {
        guard let text = queryValue(name) else { return nil }
        guard let value = JSONNumber.double(text), range.contains(value) else {
            throw .invalid(
                "/\(name)",
                "'\(text.prefix(40))' is not a number from \(range.lowerBound) to "
                    + "\(range.upperBound)")
        }
        return value
    }

    func integer(_ name: String, in range: ClosedRange<Int>) throws(RequestProblem) -> Int? {
        guard let text = queryValue(name) else { return nil }
        guard let value = JSONNumber.integer(text), range.contains(value) else {
            throw .invalid(
                "/\(name)",
                "'\(text.prefix(40))' is not a whole number from "
                    + "\(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    func time(_ name: String) throws(RequestProblem) -> UTCTime? {
        guard let text = queryValue(name) else { return nil }
        guard let time = UTCTime(rfc3339: text) else {
            throw .invalid("/\(name)", "'\(text.prefix(40))' is not an RFC 3339 time")
        }
        return time
    }

    /// One of the cases of an enumeration.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, of type: Choice.Type
    ) throws(RequestProblem) -> Choice? where Choice.RawValue == String {
        guard let text = queryValue(name) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("/\(name)", "'\(text.prefix(40))' is not one of \(names)")
        }
        return choice
    }
}
