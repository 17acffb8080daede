"""The API fields that each release does not know, and those that only it knows.

Source: docs/behavior/releases.md, "Known fields". Types are those of the field table (`api.field_table`).
"""

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

_IN_BOTH_VERSIONS = ("v1alpha1", "v1beta1")


class Gained(NamedTuple):
    """A field that later releases no longer have; it comes last in its type."""

    name: str
    type: str


def _of_both(kind: str, *names: str) -> set[tuple[str, str]]:
    return {(f"{version}.{kind}", name) for version in _IN_BOTH_VERSIONS for name in names}


def _of_containers(*names: str) -> set[tuple[str, str]]:
    return _of_both("SidecarContainer", *names) | {("core.Container", name) for name in names}


LOST: Mapping[str, set[tuple[str, str]]] = {
    "1.8": {
        *_of_both("SidecarContainer", "resourcesPolicy", "shareVolumeDevicePolicy"),
        ("core.ResourceClaim", "request"),
        ("core.Volume", "image"),
    },
    "1.7": {
        ("core.LifecycleHandler", "sleep"),
        ("core.VolumeMount", "recursiveReadOnly"),
        ("core.SecurityContext", "appArmorProfile"),
        ("core.VolumeProjection", "clusterTrustBundle"),
        ("core.PersistentVolumeClaimSpec", "volumeAttributesClassName"),
    },
    "1.6": _of_containers("restartPolicy", "resizePolicy"),
    "1.5": {("core.ResourceRequirements", "claims"), ("core.TypedObjectReference", "namespace")},
    "1.4": {("core.Probe", "grpc"), *_of_both("SidecarSetUpdateStrategy", "priorityStrategy")},
    "1.3": _of_both("SidecarSetSpec", "namespaceSelector"),
    "1.2": {
        *_of_both("SidecarSetInjectionStrategy", "revision"),
        *_of_both("SidecarSetSpec", "patchPodMetadata"),
    },
    "1.0": {
        ("core.Probe", "terminationGracePeriodSeconds"),
        ("core.WindowsSecurityContextOptions", "hostProcess"),
        ("core.PersistentVolumeClaimSpec", "dataSourceRef"),
    },
}
"""Type and name of each field that a release and all earlier ones do not know."""

GAINED: Mapping[str, Mapping[str, tuple[Gained, ...]]] = {
    "1.7": {"core.VolumeResourceRequirements": (Gained("claims", "[]core.ResourceClaim"),)},
    "1.6": {"core.VolumeResourceRequirements": (Gained("claims", "[]core.ResourceClaim"),)},
    "1.0": {"core.EphemeralVolumeSource": (Gained("readOnly", "bool"),)},
}
"""By release and type, the fields that newer releases do not know."""

_ORDER = ("1.9", *LOST)


@cache
def lost(row: str) -> frozenset[tuple[str, str]]:
    """Type and name of every table field that the releases of a row (`Release.fields`) do not know."""
    newer = _ORDER[: _ORDER.index(row) + 1]
    return frozenset(pair for name in newer for pair in LOST.get(name, ()))


def gained(row: str, type_name: str) -> tuple[Gained, ...]:
    """The fields of a type that only the releases of a row know."""
    return GAINED.get(row, {}).get(type_name, ())
