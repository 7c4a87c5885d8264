extension Subcommand {
    static let decode = Subcommand(
        name: "decode",
        summary: "print one JSON object for each epoch of an NMEA log",
        help: """
            usage: geofence-field decode [--chunk N] [--counters] FILE|-

            Prints one JSON object for each receiver epoch, with or without a position.
              --chunk N    read the input in pieces of N bytes
              --counters   one more line at the end: sentences accepted and rejected

            Example: geofence-field decode drive.nmea | head

            """,
        run: { _ in
            ProgramOutput.writeError("geofence-field decode: no decoder in this build\n")
            return ExitStatus.failure
        })
}
