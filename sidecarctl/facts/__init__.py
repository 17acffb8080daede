"""The small values that every other package passes around: paths, places, findings, operations, errors."""
