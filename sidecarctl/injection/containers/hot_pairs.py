"""Hot containers: each is injected as two, of which one works and the other waits with an empty image.

Source: docs/behaviour/injection.md, "Hot containers at injection".
"""

from collections.abc import Iterable

from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.sidecarset.annotations.pod_annotations import VERSION_ALT_PREFIX, VERSION_PREFIX
from sidecarctl.sidecarset.containers import pair_names


class Half(NamedTuple):
    """One container of a hot pair, or the one container of a cold sidecar, with the envs that only it has."""

    name: str
    image: str
    version_envs: tuple[Object, ...] = ()


def pair(name: str, image: str, empty_image: str) -> tuple[Half, Half]:
    """The two halves of a hot container."""
    working, waiting = pair_names(name)
    return Half(working, image, _version_envs(working)), Half(waiting, empty_image, _version_envs(waiting))


def version_annotations(names: Iterable[str]) -> dict[str, str]:
    """The version annotations of all halves of the hot containers of these names."""
    annotations = {}
    for name in names:
        for half, version, alternative in zip(pair_names(name), "10", "01", strict=True):
            annotations[VERSION_PREFIX + half] = version
            annotations[VERSION_ALT_PREFIX + half] = alternative
    return annotations


def working_containers(names: Iterable[str]) -> dict[str, str]:
    """Each hot container with its working one."""
    return {name: pair_names(name)[0] for name in names}


def _version_envs(half: str) -> tuple[Object, ...]:
    return (
        _annotation_env("SIDECARSET_VERSION", VERSION_PREFIX + half),
        _annotation_env("SIDECARSET_VERSION_ALT", VERSION_ALT_PREFIX + half),
    )


def _annotation_env(name: str, key: str) -> Object:
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{key}']"}}}
