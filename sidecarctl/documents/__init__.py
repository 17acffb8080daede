"""YAML and JSON text: reading with positions, editing in the text, proving the edit. Pure."""
