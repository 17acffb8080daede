"""Command line flags, parsed once into the options that operations take."""
