"""The command line: flags, operation, report, exit code."""
