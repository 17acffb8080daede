"""Reports as text. Pure."""
