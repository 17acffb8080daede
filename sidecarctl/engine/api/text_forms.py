"""The forms of texts in Kubernetes: names, labels, ports, variables, keys, paths, and times in RFC 3339.

Times are read as strictly and written as the API does: in UTC, whole seconds.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from sidecarctl.engine.facts.errors import usage_error
from sidecarctl.engine.facts.start_up import lazy_pattern

_DNS_LABEL = lazy_pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_LABEL_VALUE = lazy_pattern(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?)?")
_PORT_NAME = lazy_pattern(r"(?!.*--)(?=.*[a-z])[a-z0-9](?:[-a-z0-9]{0,13}[a-z0-9])?")
_ENV_NAME = lazy_pattern(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_KEY = lazy_pattern(r"[-._a-zA-Z0-9]+")
_HEADER = lazy_pattern(r"[-A-Za-z0-9]+")

DNS_LABEL_FORM: Final = "1 to 63 of a-z, 0-9 and -, with no - at the ends"
SUBDOMAIN_FORM: Final = "labels of a-z, 0-9 and -, joined by dots, at most 253 characters"
LABEL_VALUE_FORM: Final = "empty, or 1 to 63 letters, digits, -, _ and ., with a letter or digit at the ends"
PORT_NAME_FORM: Final = "1 to 15 of a-z, 0-9 and -, at least one letter, no - at the ends, no --"
ENV_NAME_FORM: Final = "letters, digits, -, _ and ., not a digit first, not two dots first"
KEY_FORM: Final = "1 to 253 letters, digits, -, _ and ., not two dots first"


def is_dns_label(text: str) -> bool:
    """Whether a text can name a container, a volume, a namespace."""
    return len(text) <= 63 and _DNS_LABEL.fullmatch(text) is not None


def is_subdomain(text: str) -> bool:
    """Whether a text can name most objects."""
    return len(text) <= 253 and all(map(_DNS_LABEL.fullmatch, text.split(".")))


def is_subdomain_prefix(text: str) -> bool:
    """Whether a text is a valid name prefix in Kubernetes; the last two characters of `...-` do not count."""
    return is_subdomain(f"{text[:-2]}a" if len(text) > 1 and text.endswith("-") else text)


def is_label_value(text: str) -> bool:
    """Whether a text can be the value of a label."""
    return len(text) <= 63 and _LABEL_VALUE.fullmatch(text) is not None


def is_port_name(text: str) -> bool:
    """Whether a text can name a port of a container."""
    return _PORT_NAME.fullmatch(text) is not None


def is_env_name(text: str) -> bool:
    """Whether a text can name an environment variable."""
    return text != "." and not text.startswith("..") and _ENV_NAME.fullmatch(text) is not None


def is_config_key(text: str) -> bool:
    """Whether a text can be a key of a ConfigMap or Secret."""
    return text != "." and not text.startswith("..") and len(text) <= 253 and _KEY.fullmatch(text) is not None


def is_header_name(text: str) -> bool:
    """Whether a text can name a header of a probe."""
    return _HEADER.fullmatch(text) is not None


def has_backsteps(path: str) -> bool:
    """Whether a path has an element `..`."""
    return ".." in path.split("/")


def is_relative(path: str) -> bool:
    """Whether a path leads downward from where it begins."""
    return not path.startswith("/") and not has_backsteps(path)


def is_reserved(path: str) -> bool:
    """Whether a path begins with `..`, which the kubelet reserves."""
    return path.startswith("..")


def is_qualified_name(text: str) -> bool:
    """Whether a text can be the key of a label or annotation: an optional DNS subdomain and a slash, then a name."""
    prefix, slash, name = text.rpartition("/")
    return name != "" and is_label_value(name) and (not slash or is_subdomain(prefix))


if TYPE_CHECKING:  # manifests seldom have times
    from datetime import datetime

_TEXT = lazy_pattern(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
"""One digit is enough for the hour, and a comma may begin the fraction: the API's own leniency."""

_USUAL = lazy_pattern("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
"""How the API writes times, and so most of them: datetime reads this form many times faster."""


@lru_cache(maxsize=1024)  # a pod has the same time in several places
def parse_time(text: str) -> "datetime | None":
    """The time in UTC, to the microsecond; None if the API would not decode it."""
    from datetime import UTC, datetime, timedelta

    if _USUAL.fullmatch(text):
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None
    match = _TEXT.fullmatch(text)
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


def utc_text(time: "datetime") -> str | None:
    """The time as the API writes it: `2026-01-01T00:00:00Z`; None (null) for year 1's first second."""
    from datetime import UTC, datetime

    if time == datetime(1, 1, 1, tzinfo=UTC):
        return None
    return time.astimezone(UTC).replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def epoch_time(epoch: str | None) -> str | None:
    """The time of SOURCE_DATE_EPOCH to record; None if it is empty, UsageError if it is not a number."""
    if not epoch:
        return None
    from datetime import UTC, datetime  # few runs have it

    try:
        return utc_text(datetime.fromtimestamp(int(epoch), UTC))
    except (ValueError, OverflowError, OSError):
        raise usage_error(f"SOURCE_DATE_EPOCH={epoch} is not a number of seconds") from None
