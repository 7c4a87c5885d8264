await FieldProgram.main()
