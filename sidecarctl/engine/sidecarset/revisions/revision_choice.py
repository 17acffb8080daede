"""Which revision of a set a new pod gets.

Source: docs/behavior/hash-and-revisions.md, "ControllerRevisions", "Choosing a revision at pod creation".
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.quantities import fraction
from sidecarctl.engine.facts.errors import impossible
from sidecarctl.engine.facts.findings import Finding, error, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.start_up import sha256
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.conversion import CUSTOM_VERSION_LABEL
from sidecarctl.engine.sidecarset.revisions.controller_revisions import (
    KRUISE_NAMESPACE,
    SET_NAME_LABEL,
    Revision,
    replaces_fields,
)
from sidecarctl.engine.sidecarset.sets import SidecarSet, selector_test

_PATH = ("spec", "injectionStrategy", "revision")


class RevisionChoice(NamedTuple):
    """The set to inject: as it is (`is_latest`), or as an older revision has it.

    `sidecarset.latest_revision` names the revision in either case, empty if unknown. `probability`: that of the
    older revision, if a draw decided. `why`: the deciding fact, in words.
    """

    sidecarset: SidecarSet
    is_latest: bool
    probability: float | None = None
    why: str = ""


class Chooser:
    """Chooses the revision of one set for each of many pods.

    `revisions` are all that are known; `revisions.new_revision` makes them of older manifests of a set.
    """

    def __init__(self, sidecarset: SidecarSet, revisions: Iterable[Revision], seed: int = 0) -> None:
        self._latest = RevisionChoice(sidecarset, is_latest=True, why="no revision is requested")
        self._seed = seed
        self._asked: Object = sidecarset.spec.get("injectionStrategy", {}).get("revision", {})
        self._strategy: Object = sidecarset.spec.get("updateStrategy", {})
        self._found = asked_revision(sidecarset, revisions) if self._asks() else None
        self._older = self._restored(sidecarset)

    def _restored(self, sidecarset: SidecarSet) -> SidecarSet | None:
        if not self._found:
            return None
        from sidecarctl.engine.sidecarset.revisions.revision_restoring import (
            restored,  # few SidecarSets ask for revisions
        )

        return restored(sidecarset, self._found)

    def choose(self, namespace: str, name: str, labels: Labels | None) -> RevisionChoice:
        """The choice for a pod, always the same one for the same pod and seed.

        ImpossibleError if the revision that the set asks for is not there, or the strategy is malformed.
        """
        if not self._asks():
            return self._latest
        if self._older is None:
            raise impossible(Reason.REVISION_NOT_FOUND, self._missing(), _PATH)
        if self._strategy.get("paused"):
            return self._older_because("updateStrategy.paused is true")
        if not self._is_partial():
            return self._older_because("every new pod gets it, regardless of the partition")
        if not self._is_selected(labels or {}):
            return self._older_because("updateStrategy.selector does not select the pod")
        partition = self._strategy.get("partition", 0)
        if isinstance(partition, int):
            return self._latest._replace(why="with policy Partial only a partition in percent holds back new pods")
        return self._drawn(partition, namespace, name)

    def _older_because(self, why: str) -> RevisionChoice:
        return RevisionChoice(self._older or self._latest.sidecarset, is_latest=False, why=why)

    def _is_partial(self) -> bool:
        return self._latest.sidecarset.release.partial_policy and self._asked.get("policy") == "Partial"

    def _asks(self) -> bool:
        return "revisionName" in self._asked or "customVersion" in self._asked

    def remarks(self) -> Iterator[Finding]:
        """Findings about the revision that the set requests."""
        found, own = self._found, self._latest.sidecarset
        if found is None or self._older is None:
            return
        owner = found.labels.get(SET_NAME_LABEL, "")
        if "revisionName" not in self._asked and owner != own.name:
            message = (
                f"{own.release.behavior} uses {found.name} of {owner}: pods get the containers of that SidecarSet"
            )
            yield error(Reason.FOREIGN_REVISION, message, _PATH, hint="select the revision by revisionName")
        if own.release.restores_by_name and found.data is not None and not replaces_fields(found):
            message = (
                f"{found.name} was stored before 1.5.1: fields that it lacks keep the SidecarSet's current values"
            )
            yield warning(Reason.REVISION_MERGED, message, _PATH, hint="let Kruise store it again")

    def _missing(self) -> str:
        name = self._asked.get("revisionName")
        wanted = f'"{name}"' if name is not None else f'of custom version "{self._asked["customVersion"]}"'
        return f"no usable revision {wanted} found in namespace {KRUISE_NAMESPACE}"

    def _is_selected(self, labels: Labels) -> bool:
        """Whether updateStrategy.selector lets the pod have the latest; without one all may."""
        selector = self._strategy.get("selector")
        return selector is None or selector_test(selector, ("spec", "updateStrategy", "selector"))(labels)

    def _drawn(self, partition: str, namespace: str, name: str) -> RevisionChoice:
        percent = fraction(partition)
        if percent is None:
            path = ("spec", "updateStrategy", "partition")
            raise impossible(Reason.NOT_A_PERCENTAGE, f'the partition "{partition}" is not a percentage', path)
        probability = min(max(percent, 0), 100) / 100
        draw = _draw(str(self._seed), self._latest.sidecarset.name, namespace, name)
        chosen = self._older if draw < probability else None
        why = f"drawn: partition {partition} gives {probability:.0%} of new pods the older one"
        return RevisionChoice(chosen or self._latest.sidecarset, chosen is None, probability, why)


def asked_revision(sidecarset: SidecarSet, revisions: Iterable[Revision]) -> Revision | None:
    """The revision that a set asks for: by name, even another set's, else by its version; None for none."""
    asked: Object = sidecarset.spec.get("injectionStrategy", {}).get("revision", {})
    name, version = asked.get("revisionName"), asked.get("customVersion")

    def fits(revision: Revision) -> bool:
        if name is not None:
            return bool(revision.name == name)
        counts = not sidecarset.release.version_of_own_set or revision.labels.get(SET_NAME_LABEL) == sidecarset.name
        return version is not None and counts and revision.labels.get(CUSTOM_VERSION_LABEL) == version

    candidates = [revision for revision in revisions if revision.namespace == KRUISE_NAMESPACE and fits(revision)]
    return max(candidates, key=lambda revision: (revision.number, revision.created, revision.name), default=None)


def _draw(*key: str) -> float:
    """A number in [0, 1) that depends on the key alone, and looks random."""
    digest = sha256("\0".join(key).encode(errors="surrogatepass")).digest()
    return (int.from_bytes(digest[:8]) >> 11) / 2**53
