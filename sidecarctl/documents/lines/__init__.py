"""Plain block style read, placed and edited line by line, and proven by the parser; see docs/proof.md."""
