"""The defaults that the API server and Kruise's webhook set when a set is created or updated.

The default pullPolicy depends on the image reference: `[host/]path[:tag][@digest]`.

Source: docs/behavior/api.md, "Defaults applied on create and on every update".
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from sidecarctl.engine.api.quantities import parse_quantity, rounded_up_to_milli
from sidecarctl.engine.facts.start_up import lazy_pattern
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.releases.release import DEFAULT, MASTER, Release

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
    """True if an image has a digest or a tag other than `latest`, without parsing it; False where that is unclear."""
    tag = text.rpartition("/")[2].partition(":")[2]
    return tag not in {"", "latest"} and "@" not in tag


def default_pull_policy(image: str, release: Release = DEFAULT) -> str:
    """The imagePullPolicy that a release gives a container that names none."""
    if is_pinned(image):
        return "IfNotPresent"  # valid or not
    reference = parse_image(image)
    if reference is None or (_has_odd_host(image) and not release.parses_odd_hosts):
        return "IfNotPresent"
    if len(reference.repository) > _LONGEST_PATH and not release.image_limit_without_host:
        return "IfNotPresent"  # too long to be parsed
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


Fill = Callable[[Value], Value]


def defaults(**members: Value) -> Fill:
    """Members that an object gets where it lacks them, or has them as null."""

    def fill_absent(value: Value) -> Value:
        if not isinstance(value, dict):
            return value
        return value | {name: members[name] for name in members if value.get(name) is None}

    return fill_absent


def inside(**fills: Fill) -> Fill:
    """What is done to the members of an object, each where it is there and not null."""

    def fill_members(value: Value) -> Value:
        if not isinstance(value, dict):
            return value
        present = {name: fill for name, fill in fills.items() if value.get(name) is not None}
        return value | {name: fill(value[name]) for name, fill in present.items()}

    return fill_members


def each(fill: Fill) -> Fill:
    """What is done to every item of a list that is not null."""
    return lambda items: [fill(item) for item in items] if isinstance(items, list) else items


def in_turn(*fills: Fill) -> Fill:
    """Several changes, one after another."""

    def fill_in_turn(value: Value) -> Value:
        for fill in fills:
            value = fill(value)
        return value

    return fill_in_turn


def with_defaults(spec: Object, release: Release = DEFAULT) -> Object:
    """A spec in typed form (`canonical.typed`) with the defaults of a release; new members come last."""
    filled: Object = _spec(release)(spec)
    return filled


def with_schema_defaults(manifest: Object) -> Object:
    """A manifest as it was written, with what the API server fills in; it keeps empty strings."""
    filled: Object = _SCHEMA(manifest)
    return filled


def with_container_defaults(container: Object) -> Object:
    """A container of a pod as the API server completes it; a startupProbe gets what the others get."""
    filled: Object = _IN_PODS(container)
    return filled


def with_volume_defaults(volume: Object) -> Object:
    """A volume of a pod as the API server completes it, whichever release of Kruise admitted it."""
    filled: Object = _OLD_VOLUME(_VOLUME(volume))
    return filled


def _pull_policy(release: Release) -> Fill:
    return lambda container: (
        {"imagePullPolicy": default_pull_policy(container.get("image") or "", release)} | container
    )


def _rounded_up(resources: Object) -> Object:
    return {name: str(rounded_up_to_milli(parse_quantity(text))) for name, text in resources.items()}


def _with_source(volume: Object) -> Object:
    return volume if volume.keys() - {"name"} else volume | {"emptyDir": {}}


_REGEX = each(inside(resourcesPolicy=defaults(targetContainersNameRegex=".*")))
_SCHEMA = inside(spec=inside(containers=_REGEX, initContainers=_REGEX))

_FIELD_VERSION = inside(fieldRef=defaults(apiVersion="v1"))  # of the API that the path is read in
_HTTP_GET = inside(httpGet=defaults(path="/", scheme="HTTP"))
_PROBE = in_turn(defaults(timeoutSeconds=1, periodSeconds=10, successThreshold=1, failureThreshold=3), _HTTP_GET)
_OF_ANY_CONTAINER = in_turn(
    defaults(terminationMessagePath="/dev/termination-log", terminationMessagePolicy="File"),
    inside(
        ports=each(defaults(protocol="TCP")),
        env=each(inside(valueFrom=_FIELD_VERSION)),
        livenessProbe=_PROBE,
        readinessProbe=_PROBE,  # a startupProbe gets nothing
        lifecycle=inside(postStart=_HTTP_GET, preStop=_HTTP_GET),
    ),
)
_IN_PODS = in_turn(_pull_policy(MASTER), _OF_ANY_CONTAINER, inside(startupProbe=_PROBE))
_OF_ANY_SIDECAR = inside(
    resources=inside(limits=_rounded_up, requests=_rounded_up),
    transferEnv=each(inside(sourceContainerNameFrom=_FIELD_VERSION)),
)
_POLICIES = in_turn(
    defaults(upgradeStrategy={}, shareVolumePolicy={}),
    inside(upgradeStrategy=defaults(upgradeType="ColdUpgrade"), shareVolumePolicy=defaults(type="disabled")),
)

_MODE = defaults(defaultMode=420)
_ITEMS = inside(items=each(_FIELD_VERSION))
_PROJECTED = inside(downwardAPI=_ITEMS, serviceAccountToken=defaults(expirationSeconds=3600))
_VOLUME = in_turn(
    _with_source,
    inside(
        hostPath=defaults(type=""),
        secret=_MODE,
        configMap=_MODE,
        downwardAPI=in_turn(_MODE, _ITEMS),
        projected=in_turn(_MODE, inside(sources=each(_PROJECTED))),
    ),
)
_OLD_VOLUME = inside(
    iscsi=defaults(iscsiInterface="default"),
    rbd=defaults(pool="rbd", user="admin", keyring="/etc/ceph/keyring"),
    azureDisk=defaults(cachingMode="ReadWrite", kind="Shared", fsType="ext4", readOnly=False),
    scaleIO=defaults(storageMode="ThinProvisioned", fsType="xfs"),
)


_OLD_SOURCES = {"iscsi", "rbd", "azureDisk", "scaleIO"}


def _volume(release: Release) -> Fill:
    def fill(volume: Object) -> Object:
        filled: Object = _VOLUME(volume)
        is_old = bool(_OLD_SOURCES & volume.keys()) and release.old_volume_defaults
        return _OLD_VOLUME(filled) if is_old else filled

    return fill


@cache
def _spec(release: Release) -> Fill:
    any_sidecar = in_turn(_pull_policy(release), _OF_ANY_CONTAINER, _OF_ANY_SIDECAR)
    container = in_turn(any_sidecar, _POLICIES, defaults(podInjectPolicy="BeforeAppContainer"))
    with_policies = in_turn(any_sidecar, _POLICIES, defaults(podInjectPolicy="AfterAppContainer"))

    def init_container(value: Object) -> Object:
        filled: Object = (with_policies if release.init_defaults else any_sidecar)(value)
        return filled

    return in_turn(
        defaults(updateStrategy={}, revisionHistoryLimit=10),
        inside(
            containers=each(container),
            initContainers=each(init_container),
            volumes=each(_volume(release)),
            updateStrategy=defaults(type="RollingUpdate", partition=0, maxUnavailable=1),
            patchPodMetadata=each(defaults(patchPolicy="Retain")),
            injectionStrategy=inside(revision=defaults(policy="Always")),
        ),
    )
