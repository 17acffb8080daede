"""The exit codes of every command, the same in every output format (docs/reference/exit-codes.md)."""

COMPLETED = 0
"""Completed."""
FINDINGS = 1
"""Completed, with findings or differences: `--check` found changes, a SidecarSet has errors, a rollout stalls, a push
stopped, what `--fail-on` names, warnings with `--strict`."""
UNREADABLE = 2
"""The command line is invalid, or an input cannot be read; also no manifest or no SidecarSet at all (unless
`--allow-empty`)."""
IMPOSSIBLE = 3
"""The inputs are readable, but the request cannot be fulfilled; nothing was written."""
INTERNAL_FAULT = 4
"""An internal error, which is a bug: please report it."""
INTERRUPTED = 130
"""Interrupted (SIGINT). Other signals: 129 for SIGHUP, 143 for SIGTERM. No temporary files remain."""
PIPE_CLOSED = 141
"""The reader of stdout closed it (`| head`)."""
