"""Keys of labels and annotations: an optional DNS subdomain and a slash, then a name."""

import re

_LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(?:\.{_LABEL})*"
_NAME = r"[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?"


def is_qualified_name(text: str) -> bool:
    """Whether a text can be the key of a label, such as `example.com/team`."""
    prefix, slash, name = text.rpartition("/")
    if slash and not (len(prefix) <= 253 and re.fullmatch(_SUBDOMAIN, prefix)):
        return False
    return len(name) <= 63 and re.fullmatch(_NAME, name) is not None


def is_label_value(text: str) -> bool:
    """Whether a text can be the value of a label; an empty one can."""
    return not text or (len(text) <= 63 and re.fullmatch(_NAME, text) is not None)
