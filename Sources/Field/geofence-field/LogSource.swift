import CommandLineTool
import Compression
import FieldTools

/// A log whose form is known from its first bytes.
struct LogSource {
    let form: LogForm
    /// What was read to see the form; all of it where it was compressed.
    private(set) var head: [UInt8]
    private let input: LogInput
    private let path: String

    /// Bytes of an inflated input; a day of a 10 Hz receiver with all its sentences is half of it.
    private static let maxInflatedBytes = 2_000_000_000

    init(_ path: String, chunk: Int) throws {
        self.path = path
        input = try LogInput(path, chunk: chunk)
        head = []
        var judged: LogForm?
        while judged == nil {
            let piece = try input.next()
            head += piece ?? []
            judged = LogForm.judge(head, isWhole: piece == nil)
        }
        guard judged == .gzip else {
            form = judged ?? .nmea
            return
        }
        while let piece = try input.next() { head += piece }
        do throws(CompressionError) {
            head = try Gzip.decompress(head, limit: Self.maxInflatedBytes)
        } catch {
            throw CommandFailure("\(path): \(error)")
        }
        let inner = LogForm.judge(head, isWhole: true) ?? .nmea
        guard inner != .gzip else { throw CommandFailure("\(path): gzip within gzip") }
        form = inner
    }

    /// The next piece behind `head`; nil at the end.
    func next() throws(CommandFailure) -> ArraySlice<UInt8>? { try input.next() }

    /// Everything, the head included.
    func whole() throws(CommandFailure) -> [UInt8] {
        var bytes = head
        while let piece = try input.next() { bytes += piece }
        return bytes
    }
}
