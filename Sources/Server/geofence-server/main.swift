await ServerProgram.program.main()
