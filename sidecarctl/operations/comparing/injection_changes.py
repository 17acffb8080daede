"""Changes of what is injected into the pods of a workload, without changes of the workload itself.

The sidecars of the old tree are injected into the pods of the new tree, so that both sides differ in the injection
only. The hash annotations follow from the rest: the report shows that they change, not how.
"""

from collections.abc import Iterable, Sequence

from sidecarctl.documents.writing.yaml_text import block_text
from sidecarctl.facts.errors import SidecarctlError
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.values import Object
from sidecarctl.injection.injecting import inject
from sidecarctl.injection.select.injection_context import InjectionContext
from sidecarctl.injection.select.pod_identity import Identity
from sidecarctl.injection.select.selection import select
from sidecarctl.sidecarset.annotations.pod_annotations import HASH, HASH_WITHOUT_IMAGE

_HASHES = (HASH, HASH_WITHOUT_IMAGE)


class InjectionChange(NamedTuple):
    """The pods with the old and with the new injection, as YAML without hashes.

    `hashes`: whether the hashes change; `own`: whether the workload itself changes its pods.
    """

    before: str = ""
    after: str = ""
    hashes: bool = False
    own: bool = False


class Templates(NamedTuple):
    """The pod templates of a workload, as written and as injected."""

    bare: Sequence[Object]
    injected: Sequence[Object]
    identity: Identity


def injection_change(before: Templates | None, after: Templates, context: InjectionContext) -> InjectionChange:
    """The change of a workload (`context` is that of the old tree; None if the workload is new)."""
    old = after.bare if before is None else _transplanted(before, after, context)
    own = before is not None and list(before.bare) != list(after.bare)
    hashes = list(map(_hashes, old)) != list(map(_hashes, after.injected))
    return InjectionChange(_text(old), _text(after.injected), hashes, own)


def _transplanted(before: Templates, after: Templates, context: InjectionContext) -> Sequence[Object]:
    """The new pods with the old injection; the old pods if that is impossible."""
    if len(before.bare) != len(after.bare):
        return before.injected
    try:
        return [
            _injected_as(old, new, before.identity, context) for old, new in zip(before.bare, after.bare, strict=True)
        ]
    except SidecarctlError:
        return before.injected


def _injected_as(old: Object, new: Object, identity: Identity, context: InjectionContext) -> Object:
    selection = select(old, context, identity)
    return inject(new, selection, context).pod if selection.matched else new


def _hashes(pod: Object) -> Sequence[str | None]:
    annotations = (pod.get("metadata") or {}).get("annotations") or {}
    return [annotations.get(key) for key in _HASHES]


def _text(pods: Sequence[Object]) -> str:
    return joined(map(_without_hashes, pods))


def _without_hashes(pod: Object) -> Object:
    metadata = pod.get("metadata") or {}
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in _HASHES}
    kept = {key: value for key, value in metadata.items() if key != "annotations"}
    kept |= {"annotations": annotations} if annotations else {}
    return {key: kept if key == "metadata" else pod[key] for key in pod if key != "metadata" or kept}


def joined(pods: Iterable[Object]) -> str:
    """Pods as YAML, one document each."""
    return "---\n".join(map(block_text, pods))
