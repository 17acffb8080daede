"""Times in RFC 3339, read as strictly and written as the API does: in UTC, whole seconds.

Source: docs/behaviour/injection.md, "Annotations written on the pod".
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from sidecarctl.facts.patterns import lazy_pattern

_TEXT = (
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
"""One digit is enough for the hour, and a comma may begin the fraction: the API's own leniency."""

_USUAL = lazy_pattern("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
"""How the API writes times, and so most of them: datetime reads this form many times faster."""

_NO_TIME = datetime(1, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=1024)  # a pod has the same time in several places
def parse_time(text: str) -> datetime | None:
    """The time in UTC, to the microsecond; None if the API would not decode it."""
    if _USUAL.fullmatch(text):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None
    match = re.fullmatch(_TEXT, text)
    if match is None:
        return None
    numbers = [int(part) for part in match.groups()[:6]]
    numbers.append(int((match[7] or "")[:6].ljust(6, "0")))
    sign, hours, minutes = match[8] or "+", int(match[9] or 0), int(match[10] or 0)
    if hours > 24 or minutes > 60:
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    try:
        local = datetime(*numbers, tzinfo=UTC)  # type: ignore[misc,arg-type]  # seven numbers, by the pattern
        return local - offset if sign == "+" else local + offset
    except (ValueError, OverflowError):
        return None


def utc_text(time: datetime) -> str | None:
    """The time as the API writes it: `2026-01-01T00:00:00Z`; None (null) for year 1's first second."""
    if time == _NO_TIME:
        return None
    return time.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"
