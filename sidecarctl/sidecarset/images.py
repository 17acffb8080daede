"""Image references: `[host/]path[:tag][@digest]`.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update".
"""

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.patterns import lazy_pattern
from sidecarctl.releases.release import MASTER, Release

_LABEL = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:]+\])(?::[0-9]+)?"
_COMPONENT = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_TAG = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}"
_DIGEST = "sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128}"
_REFERENCE = lazy_pattern(rf"(?:({_HOST})/)?({_COMPONENT}(?:/{_COMPONENT})*)(?::({_TAG}))?(?:@({_DIGEST}))?")
_IDENTIFIER = lazy_pattern("[0-9a-f]{64}")
_LONGEST_PATH = 255
_DEFAULT_HOST = "docker.io"


class ImageReference(NamedTuple):
    """The parts of a reference: repository with its host, tag and digest, empty if it has none."""

    repository: str
    tag: str
    digest: str


def parse_image(text: str) -> ImageReference | None:
    """The parts of an image reference, `nginx` as `docker.io/library/nginx`; None if it is invalid."""
    match = _REFERENCE.fullmatch(_with_host(text))
    if match is None or _IDENTIFIER.fullmatch(text) or len(match[2]) > _LONGEST_PATH:
        return None
    host, path, tag, digest = match.groups(default="")
    return ImageReference(f"{host}/{path}" if host else path, tag, digest)


def is_pinned(text: str) -> bool:
    """Whether a text, if it is a reference, surely has another tag than `latest`, or a digest alone; as most have."""
    tag = text.rpartition("/")[2].partition(":")[2]
    return tag not in {"", "latest"} and "@" not in tag


def default_pull_policy(image: str, release: Release = MASTER) -> str:
    """The imagePullPolicy that a release gives a container that names none."""
    if is_pinned(image):
        return "IfNotPresent"  # valid or not
    reference = parse_image(image)
    if reference is None or (_has_odd_host(image) and not release.parses_odd_hosts):
        return "IfNotPresent"
    is_latest = reference.tag == "latest" or not (reference.tag or reference.digest)
    return "Always" if is_latest else "IfNotPresent"


def _has_odd_host(image: str) -> bool:
    """Whether the host is an IPv6 address, or known as one by its upper-case letters alone."""
    first, slash, _ = image.partition("/")
    return bool(slash) and (first.startswith("[") or not ("." in first or ":" in first or first == first.lower()))


def _with_host(text: str) -> str:
    first, slash, rest = text.partition("/")
    is_host = slash and ("." in first or ":" in first or first == "localhost" or first != first.lower())
    host, path = (first, rest) if is_host else (_DEFAULT_HOST, text)
    if host == "index.docker.io":
        host = _DEFAULT_HOST  # its older name
    if host == _DEFAULT_HOST and "/" not in path:
        path = f"library/{path}"
    return f"{host}/{path}"
