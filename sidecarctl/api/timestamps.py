"""Times as the Kubernetes API reads and writes them: RFC 3339 in, UTC with whole seconds out."""

import re
from datetime import date
from functools import lru_cache

NANOSECONDS = 1_000_000_000
_DAY = 86_400
_FORM = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})"
    r"(?:[.,]([0-9]+))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))\Z"
)


@lru_cache(maxsize=4096)
def parse(text: str) -> int | None:
    """Nanoseconds from 0001-01-01T00:00:00Z, or None for text that is no RFC 3339 time.

    0 is what Kubernetes writes as `null`. As lenient as Go: one digit for the hour, a comma for the fraction.
    """
    form = _FORM.match(text)
    if form is None:
        return None
    year, month, day, hour, minute, second = map(int, form.groups()[:6])
    if hour > 23 or minute > 59 or second > 59:
        return None
    offset = _offset_seconds(form)
    try:
        days = date(year, month, day).toordinal() - 1
    except ValueError:
        return None
    if offset is None:
        return None
    seconds = days * _DAY + hour * 3600 + minute * 60 + second - offset
    return seconds * NANOSECONDS + int((form[7] or "")[:9].ljust(9, "0"))


def _offset_seconds(form: re.Match[str]) -> int | None:
    if form[8] is None:
        return 0
    hours, minutes = int(form[9]), int(form[10])
    if hours > 24 or minutes > 60:
        return None
    return (hours * 3600 + minutes * 60) * (1 if form[8] == "+" else -1)


def utc_text(text: str) -> str | None:
    """The time in UTC, cut to whole seconds; None for the zero time.

    Raises ValueError for text that is no time, or a time that UTC moves out of the years 1 to 9999.
    """
    time = parse(text)
    if time is None:
        raise ValueError(f"{text!r} is not an RFC 3339 time")
    if time == 0:
        return None
    days, rest = divmod(time // NANOSECONDS, _DAY)
    try:
        day = date.fromordinal(days + 1)
    except (ValueError, OverflowError) as problem:
        raise ValueError(f"{text!r} lies outside of the years 1 to 9999") from problem
    return f"{day.isoformat()}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"
