"""Facts to text. Pure."""
