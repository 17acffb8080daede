"""What keeps start-up short: patterns that compile late, SHA-256 without OpenSSL, library modules that run late.

The modules that a command loads have about fifty patterns, which take 5 ms together, and one document meets few of
them. OpenSSL takes as long to load as five pods to inject.
"""

import re
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType
from typing import TYPE_CHECKING, Any, AnyStr, cast

if TYPE_CHECKING:
    import hashlib
    from hashlib import sha256
else:  # as in Python's own `random`, the interpreter's module comes first; its name depends on the version
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

__all__ = ["BY_PATHLIB", "BY_TYPER", "Digest", "Lazily", "lazy_pattern", "sha256"]

BY_PATHLIB = ("ipaddress",)
BY_TYPER = (*BY_PATHLIB, "bz2", "locale", "lzma", "shellingham", "textwrap")
"""Modules that libraries import but rarely use. Each runs when it is first used, or imported again."""

_SHORT = 1 << 20


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A pattern that compiles when it is first used."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))


class _Later:
    """A pattern that is compiled when it is first used; its methods are replaced one by one."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        own = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, own)
        return own


class Digest:
    """The SHA-256 of a file, block by block; a long file is worth loading OpenSSL for."""

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


class Lazily:
    """Within a `with` block, modules of these names are found, but do not run yet."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *_: object) -> None:
        sys.meta_path.remove(self)

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """One of the modules, with a loader that waits; None leaves all others to the usual finders."""
        spec = PathFinder.find_spec(name, path, target) if name in self._names else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec
