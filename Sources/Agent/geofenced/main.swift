await GeofencedProgram.program.main()
