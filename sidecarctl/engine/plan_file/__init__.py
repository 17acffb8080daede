"""Plans as files: written, read, and rendered as patches or a kubectl script. Pure."""
