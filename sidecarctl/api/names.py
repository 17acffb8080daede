"""The forms of names in Kubernetes: labels, subdomains, ports, variables, keys and paths.

Source: docs/behaviour/validation.md, the paragraph on words.
"""

from typing import Final

from sidecarctl.facts.patterns import lazy_pattern

_DNS_LABEL = lazy_pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = lazy_pattern(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")
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
    return len(text) <= 253 and _SUBDOMAIN.fullmatch(text) is not None


def is_subdomain_prefix(text: str) -> bool:
    """Whether Kubernetes takes a text for the beginning of a name; the two last characters of `...-` do not count."""
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
    """Whether a path leads downwards from where it begins."""
    return not path.startswith("/") and not has_backsteps(path)


def is_reserved(path: str) -> bool:
    """Whether the kubelet keeps the beginning of a path, `..`, for itself."""
    return path.startswith("..")
