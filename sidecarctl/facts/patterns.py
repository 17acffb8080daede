"""Regular expressions that are compiled when they are first used: start-up is a feature.

The modules that a command loads have about fifty, which take 5 ms together, and one document meets few of them.
"""

import re
from typing import Any, AnyStr, cast


def lazy_pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` makes, in the end."""
    return cast("re.Pattern[AnyStr]", _Later(text, flags))


class _Later:
    """Stands in for a compiled pattern, whose methods it takes over one by one as they are asked for."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self.pattern = text
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        own = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, own)
        return own
