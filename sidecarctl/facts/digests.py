"""SHA-256 of short texts without OpenSSL, whose library takes as long to load as five pods to inject.

As in Python's own `random`, the interpreter's module comes first; it has another name in each version.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import hashlib
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

__all__ = ["Digest", "sha256"]

_SHORT = 1 << 20


class Digest:
    """The SHA-256 of a file, block by block; that of a long one with OpenSSL, which is worth loading then."""

    def __init__(self) -> None:
        self._short = b""
        self._long: hashlib._Hash | None = None

    def update(self, block: bytes) -> None:
        """Take the next block."""
        if self._long is None:
            self._short += block
            if len(self._short) < _SHORT:
                return
            from hashlib import sha256 as fast

            self._long, block = fast(), self._short
        self._long.update(block)

    def hexdigest(self) -> str:
        """The digest of all blocks so far, as hex."""
        return (self._long or sha256(self._short)).hexdigest()
