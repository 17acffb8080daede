"""`images` and `cost` on the command line."""
