"""What the webhook of one release refuses in a SidecarSet, and that of another does not.

Only what differs between releases, or hangs on a field that some drop; not all that validation refuses.
Source: docs/behaviour/validation.md, docs/behaviour/releases.md, "Switches".
"""

from collections.abc import Iterator

from sidecarctl.facts.values import Object
from sidecarctl.rollout.round.strategy_remarks import refused_strategy
from sidecarctl.sidecarset.containers import is_native_sidecar
from sidecarctl.sidecarset.sets import SidecarSet


def new_refusals(before: SidecarSet, after: SidecarSet) -> Iterator[str]:
    """What the release of the later one refuses, and that of the earlier one accepts."""
    known = set(_refusals(before))
    return (one for one in _refusals(after) if one not in known)


def _refusals(sidecarset: SidecarSet) -> Iterator[str]:
    strategy = sidecarset.spec.get("updateStrategy") or {}
    yield from (one.message for one in refused_strategy(strategy, sidecarset.release))
    if strategy.get("type") == "RollingUpdate" and any(map(is_native_sidecar, _items(sidecarset, "initContainers"))):
        yield "a native sidecar needs updateStrategy.type NotUpdate"
    if not sidecarset.release.namespace_is_selector and {"namespace", "namespaceSelector"} <= sidecarset.spec.keys():
        yield "namespace and namespaceSelector cannot be used together"
    for container in _items(sidecarset, "containers"):
        yield from _in_container(container, sidecarset)
    if sidecarset.release.token_path_check:
        yield from _tokens(sidecarset)


def _in_container(container: Object, sidecarset: SidecarSet) -> Iterator[str]:
    name, release = container.get("name"), sidecarset.release
    if release.proc_mount_check and (container.get("securityContext") or {}).get("procMount") == "Unmasked":
        yield f"{name}: procMount Unmasked is refused"
    hooks = container.get("lifecycle") or {}
    if not release.sleep_hooks and any((hooks.get(hook) or {}).get("sleep") for hook in ("postStart", "preStop")):
        yield f"{name}: a lifecycle hook that sleeps is refused"


def _tokens(sidecarset: SidecarSet) -> Iterator[str]:
    for volume in _items(sidecarset, "volumes"):
        for source in (volume.get("projected") or {}).get("sources") or ():
            path = ((source or {}).get("serviceAccountToken") or {}).get("path") or ""
            if path.startswith("/") or ".." in path.split("/"):
                yield f"{volume.get('name')}: the path {path} of a serviceAccountToken must be relative"


def _items(sidecarset: SidecarSet, field: str) -> list[Object]:
    return [one for one in sidecarset.spec.get(field) or () if one]
