import NMEA
import Positioning

extension AgentStatus {
    /// What each layer between the receiver's bytes and a fix did, since the start.
    public struct Layers: Codable, Sendable, Hashable {
        public var framer: Framer
        public var checksum: Checksum
        public var fields: Fields
        public var epochs: Epochs
        public var validity: Validity

        /// Bytes to sentences.
        public struct Framer: Codable, Sendable, Hashable {
            public var bytes: Int
            public var tooLong: Int
            public var nonPrintable: Int
            public var interrupted: Int
            public var ubxFrames: Int
            public var rtcmFrames: Int
            public var falseBinaryHeaders: Int

            enum CodingKeys: String, CodingKey {
                case bytes, interrupted
                case tooLong = "too_long"
                case nonPrintable = "non_printable"
                case ubxFrames = "ubx_frames"
                case rtcmFrames = "rtcm_frames"
                case falseBinaryHeaders = "false_binary_headers"
            }
        }

        public struct Checksum: Codable, Sendable, Hashable {
            /// Sentences whose checksum holds.
            public var passed: Int
            public var mismatch: Int
            public var missing: Int
        }

        public struct Fields: Codable, Sendable, Hashable {
            public var accepted: Int
            /// Accepted, but of a type that says nothing about the own position.
            public var unknownType: Int
            public var malformed: Int

            enum CodingKeys: String, CodingKey {
                case accepted, malformed
                case unknownType = "unknown_type"
            }
        }

        /// Sentences to epochs.
        public struct Epochs: Codable, Sendable, Hashable {
            public var closed: Int
            /// Sentences that came behind the end of their epoch.
            public var late: Int
        }

        public struct Validity: Codable, Sendable, Hashable {
            public var fixes: Int
            /// Epochs in which something says that there is no fix.
            public var void: Int
            public var nullIsland: Int

            enum CodingKeys: String, CodingKey {
                case fixes, void
                case nullIsland = "null_island"
            }
        }

        init(_ counters: NMEACounters) {
            framer = Framer(
                bytes: counters.bytes, tooLong: counters.tooLong,
                nonPrintable: counters.nonPrintable, interrupted: counters.interrupted,
                ubxFrames: counters.ubxFrames, rtcmFrames: counters.rtcmFrames,
                falseBinaryHeaders: counters.falseBinaryHeaders)
            checksum = Checksum(
                passed: counters.accepted + counters.malformed,
                mismatch: counters.checksumMismatch, missing: counters.checksumMissing)
            fields = Fields(
                accepted: counters.accepted, unknownType: counters.unknownType,
                malformed: counters.malformed)
            epochs = Epochs(closed: counters.epochs, late: counters.late)
            validity = Validity(
                fixes: counters.fixes, void: counters.epochs - counters.fixes,
                nullIsland: counters.nullIsland)
        }
    }

    /// What the time resolver made of the epochs, since the start.
    public struct TimeLayer: Codable, Sendable, Hashable {
        public var trusted: Int
        public var untrusted: Int
        public var undated: Int
        public var rollovers: Int
        public var refusedDates: Int
        public var backwardSteps: Int
        public var jumps: Int

        enum CodingKeys: String, CodingKey {
            case trusted, untrusted, undated, rollovers, jumps
            case refusedDates = "refused_dates"
            case backwardSteps = "backward_steps"
        }

        init(_ counts: TimeResolverCounts) {
            trusted = counts.trusted
            untrusted = counts.untrusted
            undated = counts.undated
            rollovers = counts.rollovers
            refusedDates = counts.refusedDates
            backwardSteps = counts.backwardSteps
            jumps = counts.jumps
        }
    }
}
