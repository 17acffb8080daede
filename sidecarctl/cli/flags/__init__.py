"""What the command line can say, parsed once into the options that operations take."""
