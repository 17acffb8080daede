"""What the API server and Kruise's webhook fill into a set when it is created or updated.

Source: docs/behaviour/api.md, "Defaults applied on create and on every update".
"""

from functools import cache

from sidecarctl.api.quantities import parse_quantity, rounded_up_to_milli
from sidecarctl.facts.values import Object
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.filling import Fill, defaults, each, in_turn, inside
from sidecarctl.sidecarset.images import default_pull_policy


def with_defaults(spec: Object, release: Release = MASTER) -> Object:
    """A spec in typed form (`canonical.typed`) with the defaults of a release; new members come last."""
    filled: Object = _spec(release)(spec)
    return filled


def with_schema_defaults(manifest: Object) -> Object:
    """A manifest as it was written, with what the API server fills in; an empty string is no gap to it."""
    filled: Object = _SCHEMA(manifest)
    return filled


def with_container_defaults(container: Object) -> Object:
    """A container of a pod as the API server completes it; a startupProbe gets what the others get."""
    filled: Object = _IN_PODS(container)
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
