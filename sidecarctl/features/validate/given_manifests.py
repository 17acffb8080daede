"""Manifests sorted into the input of a validation, with the pods that workloads create from their templates.

A pod of a workload gets the kind and name of the workload, so that messages name the manifest.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check
from sidecarctl.engine.api.label_selectors import as_labels
from sidecarctl.engine.api.made_pods import PodTemplate, as_created
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import pod_template_paths, pod_templates, workload_of
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.findings import Finding
from sidecarctl.engine.facts.values import Object, Path, Value
from sidecarctl.engine.injection.pod_templates import pod_problems
from sidecarctl.engine.injection.pod_webhook import template_of
from sidecarctl.engine.inputs.manifests import LOOKED_UP
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.inputs.unknown_templates import UnknownTemplates, kind_refused, unknown_templates
from sidecarctl.engine.inputs.world import decides, is_sidecarset
from sidecarctl.engine.sidecarset.sets import SidecarSet
from sidecarctl.engine.sidecarset.world import GivenPod, Located, World
from sidecarctl.engine.validation.practice.fields import admitted, duplicate_finding
from sidecarctl.engine.validation.suppression import by_annotation, parted
from sidecarctl.engine.validation.warnings import gaps_of


class Sorted(NamedTuple):
    """The input of a validation.

    - `further`: SidecarSets that repeat a name. `undecodable`: those with values of wrong types, and these findings.
    - `findings`: about manifests that cannot be decoded, and what the release of Kruise does not know. `suppressed`
      are those that an annotation suppresses.
    """

    world: World
    further: list[tuple[SidecarSet, Located]]
    findings: list[Finding]
    suppressed: Sequence[Finding] = ()
    undecodable: Sequence[tuple[Located, list[Finding]]] = ()


class Sorter:
    """Sorts the objects of the inputs."""

    def __init__(self, how: Reading, *, obeys_annotations: bool = True) -> None:
        self._how = how
        self._obeys_annotations = obeys_annotations
        self._sets: list[SidecarSet] = []
        self._sources: dict[str, Located] = {}
        self._further: list[tuple[SidecarSet, Located]] = []
        self._undecodable: list[tuple[Located, list[Finding]]] = []
        self._pods: list[GivenPod] = []
        self._budgets: list[Located] = []
        self._others: dict[str, list[Object]] = {}
        self._findings: list[Finding] = []
        self._suppressed: list[Finding] = []
        self._unknown = UnknownTemplates()

    def sorted(self, objects: Sequence[Located]) -> Sorted:
        """The input so far."""
        with_templates, remarks = with_references(objects, self._how.namespace)
        self._findings += remarks
        for found in with_templates:
            self._sort_in(found)
        beside = [found for found in objects if decides(found.reference, found.manifest) and not is_sidecarset(found)]
        world, faults = self._how.world(beside)
        world = world._replace(
            sidecarsets=self._sets,
            sources=self._sources,
            pods=self._pods,
            objects=self._others,
            budgets=tuple(self._budgets),
        )
        findings = [*self._findings, *faults, *self._unknown.notes()]
        return Sorted(world, self._further, findings, self._suppressed, self._undecodable)

    def _sort_in(self, found: Located) -> None:
        group, _, _ = found.reference.api_version.rpartition("/")
        match group, found.reference.kind:
            case "apps.kruise.io", "SidecarSet":
                self._add_sidecarset(found)
            case "policy.kruise.io", "PodUnavailableBudget":
                self._add_budget(found)
            case group, kind if kind in LOOKED_UP.get(group, ()):
                metadata = found.manifest.get("metadata")
                if not self._refused(found, metadata, "meta.ObjectMeta", ("metadata",)):
                    placed = {**(metadata or {}), "namespace": found.reference.namespace or self._how.namespace}
                    self._others.setdefault(kind, []).append({**found.manifest, "metadata": placed})
            case _:
                self._add_pods(found)

    def _add_sidecarset(self, found: Located) -> None:
        item = admitted(found.manifest, self._how.release)
        if isinstance(item, list):
            self._findings += found.findings(item)
            self._undecodable.append((found, item))
            return
        gaps = gaps_of(found.manifest, self._how.release, allow=self._how.allow_unknown)
        self._findings += found.findings(gaps)
        first = self._sources.get(item.name)
        if first is None:
            self._sources[item.name] = found
            self._sets.append(item)
        elif first.manifest != found.manifest or not item.name:
            self._further.append((item, found))
            twice = duplicate_finding(item.name, found.manifest, first.manifest, str(first.place()))
            told = [twice] if twice else []
            ignored = by_annotation(item.metadata, obeys=self._obeys_annotations)
            kept, suppressed = parted(found.findings(told), ignored)
            self._findings += kept
            self._suppressed += suppressed

    def _add_budget(self, found: Located) -> None:
        from sidecarctl.engine.rollout.pod_budgets import gaps_of_budget, read_budget  # few inputs have budgets

        try:
            spec = read_budget(found, self._how.release, self._how.namespace)
            self._budgets.append(found._replace(reference=found.reference._replace(namespace=spec.name.namespace)))
            self._findings += gaps_of_budget(found, self._how.release, allow=self._how.allow_unknown)
        except InputError as fault:
            self._findings += fault.findings

    def _add_pods(self, found: Located) -> None:
        if problem := kind_refused(found.manifest, found.reference, self._how.workloads):
            self._findings += found.findings([problem])
            return
        unknown = unknown_templates(found.manifest, found.reference, self._how.workloads)
        self._unknown.add(found.findings(unknown))
        for path in pod_template_paths(found.manifest, self._how.workloads):
            if problems := pod_problems(found.manifest, path):
                self._findings += found.findings(problems)
                return
        from sidecarctl.engine.injection.pod_sorts import patch_problems, pod_sorts  # only with workloads

        sorts = pod_sorts(found, pod_templates(found.manifest, self._how.workloads))
        if problems := [finding for sort in sorts for finding in patch_problems(sort)]:
            self._findings += found.findings(dict.fromkeys(problems))
            return
        self._pods += template_pods(found, self._how.namespace, self._how.workloads)

    def _refused(self, found: Located, value: Value, type_name: str, path: Path = ()) -> bool:
        """Whether the API cannot decode a part of an object; if so, adds a finding."""
        problems = check(value, type_name, path)
        self._findings += found.findings(problems)
        return bool(problems)


def template_pods(found: Located, namespace: str, workloads: Sequence[WorkloadKind]) -> Iterator[GivenPod]:
    """The pods of an object that has templates, or is a Pod; `namespace` is the default namespace.

    The templates must have passed `decoding.check`.
    """
    workload = workload_of(found.manifest, workloads)
    if workload is None:
        return
    from sidecarctl.engine.injection.pod_sorts import pod_sorts

    is_counted = workload.pods == "replicas"
    for sort in pod_sorts(found, pod_templates(found.manifest, workloads)):
        item, template = sort.template, sort.pod
        metadata = {**(template.get("metadata") or {}), "namespace": found.reference.namespace or namespace}
        if metadata.get("labels"):
            metadata["labels"] = as_labels(metadata["labels"])
        if found.reference.kind != "Pod":
            metadata |= _as_of_workload(found, item, metadata)
        kind = {"apiVersion": found.reference.api_version, "kind": found.reference.kind}
        created = as_created(found.manifest, item.path, template, item.pod_name(sort.name, 0))
        pod = {**created, **kind, "metadata": metadata}
        known = is_counted and item.pods.assumed is None
        of_workload = template_of(found.reference, item.path)
        holder = found.manifest if of_workload else {}
        yield GivenPod(pod, sort.number, known, of_workload, item.path, found.place, holder)


def _as_of_workload(found: Located, template: PodTemplate, metadata: Object) -> Object:
    """The metadata that controllers add to a template."""
    name = found.reference.name
    made: Object = {
        "name": name,
        "labels": template.labels(metadata.get("labels") or {}, name, 0, metadata["namespace"]),
    }
    kind = template.row.owner[1] or found.reference.kind
    return {**made, "ownerReferences": [{"kind": kind, "name": name}]} if kind in _JOBS else made


_JOBS = ("Job", "BroadcastJob")
