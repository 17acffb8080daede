"""Manifests sorted into the input of a validation, and findings about those that cannot be used."""

from collections.abc import Sequence

from sidecarctl.api.decoding import check
from sidecarctl.api.label_selectors import Labels
from sidecarctl.api.workloads import pod_template_paths
from sidecarctl.facts.errors import InputError
from sidecarctl.facts.findings import Finding
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.paths import Path, value_at
from sidecarctl.facts.references import ObjectReference
from sidecarctl.facts.values import Object, Value
from sidecarctl.inputs.located import Located
from sidecarctl.inputs.reading import Reading
from sidecarctl.operations.checking.release_findings import gaps_of
from sidecarctl.operations.validating.template_pods import template_pods
from sidecarctl.sidecarset.canaries import canary_notes
from sidecarctl.sidecarset.revisions.controller_revisions import Revision, read_revision
from sidecarctl.sidecarset.sets import SidecarSet
from sidecarctl.validation.given import Given, whitelist_in
from sidecarctl.validation.practice.duplicates import duplicate_finding
from sidecarctl.validation.practice.fields import admitted
from sidecarctl.validation.suppression import ignored_by, without

_LOOKED_UP = ("Node", "Secret", "ConfigMap", "PersistentVolumeClaim")
"""Kinds that SidecarSets refer to, and Nodes."""


class Sorted(NamedTuple):
    """The input of a validation.

    - `sources`: where each SidecarSet of `given` was read. `further`: SidecarSets that repeat a name.
    - `findings`: about manifests that cannot be decoded, and what the release of Kruise does not know.
    """

    given: Given
    sources: dict[str, Located]
    further: list[tuple[SidecarSet, Located]]
    findings: list[Finding]


class Sorter:
    """Sorts the objects of the inputs."""

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
        """The input so far."""
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
        item = admitted(found.manifest, self._how.release)
        if isinstance(item, list):
            self._findings += found.findings(item)
            return
        gaps = gaps_of(found.manifest, self._how.release, allow=self._how.allow_unknown)
        notes = () if self._how.names_release else canary_notes(item)
        self._findings += found.findings([*gaps, *notes])
        first = self._sources.get(item.name)
        if first is None:
            self._sources[item.name] = found
            self._sets.append(item)
        elif first.manifest != found.manifest or not item.name:
            self._further.append((item, found))
            twice = duplicate_finding(item.name, found.manifest, first.manifest, str(first.place()))
            self._findings += found.findings(without([twice] if twice else [], ignored_by(item.metadata)))

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
        """Whether the API cannot decode a part of an object; adds a finding if so."""
        problems = check(value, type_name, path)
        self._findings += found.findings(problems)
        return bool(problems)
