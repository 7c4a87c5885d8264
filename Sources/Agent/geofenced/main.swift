// On the main thread up to the command's work: it chooses where it runs.
await GeofencedProgram.program.main(isolation: MainActor.shared)
