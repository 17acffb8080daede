"""The small values that all packages share: paths, places, edits, findings, reasons, errors. Pure."""
