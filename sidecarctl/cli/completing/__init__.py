"""Completion of command lines: what may follow the words so far, for each shell in its own way."""
