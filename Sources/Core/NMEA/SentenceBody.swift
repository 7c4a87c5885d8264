/// The bytes between `$` and `*` of a sentence whose checksum held, or up to the line's end where
/// none is asked for.
///
/// It points into the caller's bytes and lives no longer than the call that hands it out.
/// Invariant: the byte at `end` may be read and is neither a comma, a digit nor a letter, so that a
/// loop over a field needs no other bound.
struct SentenceBody {
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
}
