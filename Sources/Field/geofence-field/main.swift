await FieldProgram.program.main()
