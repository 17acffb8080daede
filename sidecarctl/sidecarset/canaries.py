"""Canary sets: each takes the place of its base in the pods that both would be injected into.

Source: docs/behaviour/injection.md, "Which sets apply", step 5.
"""

from collections.abc import Iterable, Iterator

from sidecarctl.facts.findings import Finding, note
from sidecarctl.facts.reasons import Reason
from sidecarctl.sidecarset.sets import SidecarSet

CANARY = "apps.kruise.io/sidecarset-canary"
BASE = "apps.kruise.io/sidecarset-base"


def base_of(sidecarset: SidecarSet) -> str:
    """The name of the set that a canary replaces; empty for a set that is no canary, or in a release without them."""
    annotations = sidecarset.metadata.get("annotations") or {}
    is_canary = annotations.get(CANARY) == "true" and sidecarset.release.canary_sets
    return annotated_base_of(sidecarset) if is_canary else ""


def annotated_base_of(sidecarset: SidecarSet) -> str:
    """The name in the annotation alone, which counts on an update even of a set that was none; empty for none."""
    return str((sidecarset.metadata.get("annotations") or {}).get(BASE) or "")


def canary_notes(sidecarset: SidecarSet) -> Iterator[Finding]:
    """A note where the annotations of a canary decide, since no released Kruise knows them."""
    if base := base_of(sidecarset):
        message = (
            f"replaces {base} as its canary, which only an unreleased Kruise does; releases up to 1.9.0 inject both"
        )
        yield note(Reason.CANARY_NEEDS_NEWER_KRUISE, message, ("metadata", "annotations", BASE))


def canaries_of(name: str, sidecarsets: Iterable[SidecarSet]) -> tuple[str, ...]:
    """The names of the canaries that a set has among some."""
    return tuple(sidecarset.name for sidecarset in sidecarsets if base_of(sidecarset) == name)


def replaced_by_canaries(chosen: Iterable[SidecarSet]) -> dict[str, str]:
    """The names of the sets that canaries among those chosen for a pod replace, each with its canary's."""
    return {base: sidecarset.name for sidecarset in chosen if (base := base_of(sidecarset))}
