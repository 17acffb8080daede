"""YAML and JSON text: read with positions, edited in place, edits verified. Pure."""
