"""A plan as a file: written, read back, and turned into patches or a kubectl script. Pure."""
