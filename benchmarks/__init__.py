"""How fast sidecarctl is: `python -m benchmarks.NAME` prints a table."""
