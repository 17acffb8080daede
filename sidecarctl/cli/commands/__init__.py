"""One module per command: options to operation to report to exit code."""
