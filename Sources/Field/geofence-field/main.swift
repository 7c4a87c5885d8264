import Glibc

exit(FieldProgram.run(CommandLine.arguments))
