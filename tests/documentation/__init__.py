"""The documentation: its commands are run, its reference is the program's, its site builds."""
