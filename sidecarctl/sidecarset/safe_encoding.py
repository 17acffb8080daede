"""The alphabet of 27 characters in which hashes and revision names are written.

Source: docs/behaviour/hash-and-revisions.md, "The two hashes".
"""

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_TABLE = {code: _ALPHABET[code % len(_ALPHABET)] for code in range(128)}


def safely_encoded(text: str) -> str:
    """ASCII text with each character replaced by the one that its code picks from the alphabet."""
    return text.translate(_TABLE)
