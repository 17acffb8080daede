"""The exit codes of every command, the same in every output format."""

COMPLETED = 0
FINDINGS = 1
"""Completed, with findings or differences that the exit code should report."""
UNREADABLE = 2
"""The command line makes no sense, or an input cannot be read."""
IMPOSSIBLE = 3
"""The input is readable, but the request cannot be fulfilled with it."""
INTERNAL_FAULT = 4
"""A bug."""
INTERRUPTED = 130
PIPE_CLOSED = 141
TERMINATED = 143
