"""The kinds of a SidecarSet's containers (hot, native), and their names in pods.

Source: docs/behaviour/injection.md, "Hot containers at injection" and "Annotations written on the pod".
"""

from collections.abc import Iterator

from sidecarctl.facts.values import Object


def is_native_sidecar(container: Object) -> bool:
    """Whether an initContainer keeps running next to the containers of the pod."""
    return container.get("restartPolicy") == "Always"


def is_hot(container: Object) -> bool:
    """Whether a container asks for hot upgrades."""
    return (container.get("upgradeStrategy") or {}).get("upgradeType") == "HotUpgrade"


def pair_names(name: str) -> tuple[str, str]:
    """The names of the two containers of a hot one; at injection the first works."""
    return f"{name}-1", f"{name}-2"


def names_in_pods(container: Object) -> tuple[str, ...]:
    """The names that a container of the set has in a pod."""
    name = container.get("name") or ""
    return pair_names(name) if is_hot(container) else (name,)


def sidecar_list(spec: Object, *, every: bool = False) -> tuple[str, ...]:
    """What a hash annotation records as `sidecarList`: containers and native sidecars, hot ones by their own name.

    `every`: plain initContainers too.
    """
    return tuple(sorted({container.get("name") or "" for container in _listed(spec, every=every)}))


def _listed(spec: Object, *, every: bool) -> Iterator[Object]:
    yield from spec.get("containers") or ()
    yield from (container for container in spec.get("initContainers") or () if every or is_native_sidecar(container))
