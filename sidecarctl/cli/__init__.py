"""The command line: options, task, renderer, exit code."""
