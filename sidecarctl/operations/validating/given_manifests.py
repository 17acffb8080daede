"""Manifests sorted into what validation is given, and why some of them cannot be."""

from collections.abc import Sequence
from typing import NamedTuple

from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.workloads import pod_template_paths
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading import Reading
from sidecarctl.operations.validating.template_pods import template_pods
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, read_revision
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.given import Given, whitelist_in
from sidecarctl.validation.practice.fields import admitted

_LOOKED_UP = ("Node", "Secret", "ConfigMap", "PersistentVolumeClaim", "ServiceAccount")
"""Kinds that SidecarSets refer to, or that tell where pods are."""


class Sorted(NamedTuple):
    """What validation is given.

    - `sources`: where each SidecarSet of `given` was read. `further`: SidecarSets of a name that another one has.
    - `findings`: about what cannot be decoded.
    """

    given: Given
    sources: dict[str, Located]
    further: list[tuple[SidecarSet, Located]]
    findings: list[Finding]


class Sorter:
    """Sorts the objects of the inputs, one after another."""

    def __init__(self, how: Reading) -> None:
        self._how = how
        self._sets: list[SidecarSet] = []
        self._sources: dict[str, Located] = {}
        self._further: list[tuple[SidecarSet, Located]] = []
        self._namespaces: dict[str, Labels] = {}
        self._pods: list[Object] = []
        self._uncounted: set[ObjectReference] = set()
        self._revisions: list[Revision] = []
        self._others: dict[str, list[Object]] = {}
        self._findings: list[Finding] = []

    def sorted(self, objects: Sequence[Located]) -> Sorted:
        """All of them together."""
        for found in objects:
            self._sort_in(found)
        given = Given(
            self._sets,
            {name: found.manifest for name, found in self._sources.items()},
            self._namespaces,
            self._pods,
            self._revisions,
            self._others,
            whitelist_in(self._others.get("ConfigMap", ())),
            uncounted=frozenset(self._uncounted),
        )
        return Sorted(given, self._sources, self._further, self._findings)

    def _sort_in(self, found: Located) -> None:
        group, _, _ = found.reference.api_version.rpartition("/")
        match group, found.reference.kind:
            case "apps.kruise.io", "SidecarSet":
                self._add_sidecarset(found)
            case "", "Namespace":
                if not self._refused(found, found.manifest, "core.Namespace"):
                    labels = (found.manifest.get("metadata") or {}).get("labels") or {}
                    self._namespaces[found.reference.name] = {key: value or "" for key, value in labels.items()}
            case "apps", "ControllerRevision":
                self._add_revision(found)
            case "", kind if kind in _LOOKED_UP:
                if not self._refused(found, found.manifest.get("metadata"), "meta.ObjectMeta", ("metadata",)):
                    self._others.setdefault(kind, []).append(found.manifest)
            case _:
                self._add_pods(found)

    def _add_sidecarset(self, found: Located) -> None:
        one = admitted(found.manifest)
        if isinstance(one, list):
            self._findings += found.findings(one)
            return
        first = self._sources.get(one.name)
        if first is None:
            self._sources[one.name] = found
            self._sets.append(one)
        elif first.manifest != found.manifest or not one.name:
            self._further.append((one, found))
            if one.name:
                self._findings += found.findings([_second(one.name, first)])

    def _add_revision(self, found: Located) -> None:
        try:
            self._revisions.append(read_revision(found.manifest))
        except InputError as fault:
            self._findings += found.findings(fault.findings)

    def _add_pods(self, found: Located) -> None:
        for path in pod_template_paths(found.manifest, self._how.workloads):
            if self._refused(found, value_at(found.manifest, path), "core.Pod", path):
                return
        for made in template_pods(found, self._how.namespace, self._how.workloads):
            self._pods += [made.pod] * made.number
            if not made.is_number_known:
                self._uncounted.add(found.reference)

    def _refused(self, found: Located, value: Value, type_name: str, path: Path = ()) -> bool:
        """Whether the API cannot decode a part of an object; then it is told."""
        problems = check(value, type_name, path)
        self._findings += found.findings(problems)
        return bool(problems)


def _second(name: str, first: Located) -> Finding:
    message = f"there is another SidecarSet {name} in {first.place()}: a cluster has but one of them"
    hint = "give each of them another name, or validate what goes to one cluster at a time"
    return warning(Reason.DUPLICATE_SET, message, ("metadata", "name"), hint=hint)
