"""Which pods lose or gain the sidecars of a SidecarSet when it, a Namespace or a workload changes, and why.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.canonical import readable
from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.api.workload_rows import WorkloadKind
from sidecarctl.engine.api.workloads import pod_template_paths, pod_templates, workload_of
from sidecarctl.engine.comparing.workload_pairs import keys_of_both
from sidecarctl.engine.facts.errors import ImpossibleError, SidecarctlError
from sidecarctl.engine.facts.findings import Finding, ObjectReference, Place
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, path_text, value_at
from sidecarctl.engine.injection.decisions import InjectionOptions, Selection, SetDecision
from sidecarctl.engine.injection.injection_context import InjectionContext, injection_context
from sidecarctl.engine.injection.new_pods import UNSEEN
from sidecarctl.engine.injection.pod_sorts import PodSort, pod_sorts
from sidecarctl.engine.injection.pod_templates import decoded
from sidecarctl.engine.injection.pod_webhook import admitted, template_of
from sidecarctl.engine.injection.selection import Identity, labels_of, select
from sidecarctl.engine.injection.tests_in_order import Asked, Evidence, Holder, tests_in_order, with_evidence
from sidecarctl.engine.injection.webhook_steps import names_priorities
from sidecarctl.engine.inputs.references import with_references
from sidecarctl.engine.rollout.simulated_pods import SimulatedPod
from sidecarctl.engine.rollout.workload_pods import remark_on
from sidecarctl.engine.sidecarset.pod_annotations import INJECTED_LIST, injected_sets
from sidecarctl.engine.sidecarset.sets import DEFAULT_NAMESPACE, NAMESPACE_NAME_LABEL
from sidecarctl.engine.sidecarset.world import Located, World

_APPLIES = (Reason.INJECTED, Reason.REPLACED_BY_CANARY)
"""A canary has the containers of its base."""


_OF_ANY_POD = (Reason.PRIORITY_NOT_A_NUMBER, Reason.NO_TARGET_CONTAINER)
"""Why Kruise rejects a pod of which only labels and names of containers are known, as of a running one."""


_NAMESPACE = ("metadata", "namespace")


class Cause(NamedTuple):
    """What made the difference, as a sentence, and its place in the manifests; `reason` is that of the decision.

    `is_refusal`: in one version Kruise rejects the pods.
    """

    text: str
    place: Place | None
    reason: Reason
    is_refusal: bool = False


class Moved(NamedTuple):
    """The pods of a workload, or a running pod, that a SidecarSet applies to in one version only.

    `pods` is their number, None if it is not known; `had`: a running pod that has the sidecars.
    """

    reference: ObjectReference
    pods: int | None
    cause: Cause
    is_running: bool = False
    had: bool = False


class TemplatePods(NamedTuple):
    """The pods of workloads that a SidecarSet applies to: in both versions, only the new one, only the old one.

    It also applies to `uncounted` workloads, whose number of pods is not known.
    """

    workloads: int = 0
    kept: int = 0
    gained: int = 0
    lost: int = 0
    uncounted: int = 0


class Moves(NamedTuple):
    """What one SidecarSet loses and gains; `templates` counts the pods of workloads."""

    lost: Sequence[Moved] = ()
    gained: Sequence[Moved] = ()
    templates: TemplatePods = TemplatePods()


Compared: TypeAlias = Mapping[str, tuple[Cause | None, bool]]
"""The SidecarSets that apply in a version: no cause if it is both, else the cause and whether it is a loss."""


class _Pod(NamedTuple):
    """A pod, or a template, in one version; `source` contains it at `path`."""

    manifest: Object
    identity: Identity
    source: Located | None = None
    path: Path = ()


class LostAndGained:
    """Compares two versions, pod after pod; `moves` has the result by the name of the SidecarSet."""

    def __init__(self, old: World, new: World, gates: frozenset[str] = frozenset()) -> None:
        self.findings: list[Finding] = []
        self._worlds = old, new
        options = InjectionOptions(feature_gates=gates)
        self._contexts = tuple(injection_context(world, options) for world in (old, new))
        self._lost: dict[str, list[Moved]] = {}
        self._gained: dict[str, list[Moved]] = {}
        self._templates: dict[str, TemplatePods] = {}
        self._known: dict[object, Compared] = {}
        self._may_refuse = [any(_may_refuse(item.spec) for item in world.sidecarsets) for world in (old, new)]

    def moves(self, name: str) -> Moves:
        """What is known about a SidecarSet so far."""
        templates = self._templates.get(name, TemplatePods())
        return Moves(self._lost.get(name, ()), self._gained.get(name, ()), templates)

    def add_workloads(
        self, old: Iterable[Located], new: Iterable[Located], namespace: str, kinds: Sequence[WorkloadKind]
    ) -> None:
        """Compare the templates of workloads; those of one version only are as in that one."""
        old = with_references(old, namespace)[0]
        new, missing = with_references(new, namespace)
        self.findings += missing
        was, is_now = keys_of_both(old, new, namespace)
        times = Counter(is_now)
        before = {key: found for key, found in zip(was, old, strict=True) if times[key] == 1}
        for key, found in zip(is_now, new, strict=True):
            try:
                remarks = self._add_workload(before.get(key, found), found, namespace, kinds)
            except SidecarctlError as fault:
                self.findings += found.findings(fault.findings)
            else:
                self.findings += found.findings(remarks)

    def add_running(self, pods: Iterable[Object]) -> None:
        """Compare running pods: a pod like each of them, created now."""
        for index, manifest in enumerate(pods):
            pod = SimulatedPod(index, manifest)
            if not pod.active:
                continue
            recorded = injected_sets(pod.annotations.get(INJECTED_LIST))
            containers = [{"name": container} for container in pod.images]
            created = {"metadata": {"labels": pod.labels}, "spec": {"containers": containers}}
            like = _Pod(created, Identity(pod.name.namespace, pod.name.name))
            reference = ObjectReference("v1", "Pod", pod.name.namespace, pod.name.name)
            key = pod.name.namespace, tuple(sorted(pod.labels.items())), tuple(pod.images)
            for name, (cause, is_lost) in self._moved(like, like, key).items():
                had = name in recorded
                if cause and (had or not is_lost):
                    self._note(name, Moved(reference, 1, cause, is_running=True, had=had), is_lost=is_lost)

    def _add_workload(
        self, was: Located, found: Located, namespace: str, kinds: Sequence[WorkloadKind]
    ) -> list[Finding]:
        workload = workload_of(found.manifest, kinds)
        had = pod_template_paths(was.manifest, kinds)
        if workload is None or not had:
            return []
        remarks: dict[Finding, None] = {}
        counted: set[str] = set()
        old = {_of_sort(sort): sort.pod for sort in pod_sorts(was, pod_templates(was.manifest, kinds))}
        for sort in pod_sorts(found, pod_templates(found.manifest, kinds)):
            template = sort.template
            path = template.path if template.path in had else had[0]
            before, after = _template(was, path, namespace), _template(found, template.path, namespace)
            before = before._replace(manifest=old.get(_of_sort(sort), before.manifest))
            after = after._replace(manifest=sort.pod)
            pods = sort.number if workload.pods == "replicas" else None
            moved = self._moved(before, after)
            for name, (cause, is_lost) in moved.items():
                counts = self._templates.get(name, TemplatePods())
                field = "uncounted" if pods is None else "kept" if cause is None else "lost" if is_lost else "gained"
                more = {field: getattr(counts, field) + (1 if pods is None else pods)}
                self._templates[name] = counts._replace(workloads=counts.workloads + (name not in counted), **more)
                counted.add(name)
                if cause:
                    self._note(name, Moved(found.reference, pods, cause), is_lost=is_lost)
            if moved and workload.pods == "replicas" and (remark := remark_on(template.pods)):
                remarks[remark] = None
        return list(remarks)

    def _note(self, name: str, moved: Moved, *, is_lost: bool) -> None:
        (self._lost if is_lost else self._gained).setdefault(name, []).append(moved)

    def _moved(self, before: _Pod, after: _Pod, key: object = None) -> "Compared":
        if key is not None and key in self._known:
            return self._known[key]
        selected = [
            select(pod.manifest, context, pod.identity)
            for pod, context in zip((before, after), self._contexts, strict=True)
        ]
        old, new = ({decision.set_name: decision for decision in item.decisions} for item in selected)
        refusals = [self._refusal(pod, selected[index], index) for index, pod in enumerate((before, after))]
        found: dict[str, tuple[Cause | None, bool]] = {}
        for name in sorted({*old, *new}):
            applies = [name in item and item[name].reason in _APPLIES for item in (old, new)]
            gets = [one and not refusal for one, refusal in zip(applies, refusals, strict=True)]
            if all(gets):
                found[name] = None, False
            elif any(gets):
                is_lost = gets[0]
                refusal = refusals[is_lost] if applies[is_lost] else None
                decisions = old.get(name), new.get(name)
                found[name] = refusal or self._cause(name, (before, after), decisions, is_lost=is_lost), is_lost
        if key is not None:
            self._known[key] = found
        return found

    def _refusal(self, pod: _Pod, selection: Selection, version: int) -> Cause | None:
        """Why Kruise rejects a pod; None for a pod that it creates."""
        if not selection.matched or not (self._may_refuse[version] or names_priorities(pod.manifest)):
            return None
        template = template_of(pod.source.reference, pod.path) if pod.source else None
        decoded(pod.manifest)
        try:
            admitted(pod.manifest, selection, self._contexts[version], template)
        except ImpossibleError as refused:
            finding = refused.findings[0]
            if pod.source is None and finding.reason not in _OF_ANY_POD:
                return None
            world, subject = self._worlds[version], finding.subject
            source, path = (world.sources.get(subject.name), ()) if subject else (pod.source, pod.path)
            said = "Kruise rejects the pod: "
            text = f"{'' if version else 'before, '}{said}{finding.message.removeprefix(said)}"
            return Cause(
                text, source.place((*path, *finding.path)) if source else None, finding.reason, is_refusal=True
            )
        return None

    def _cause(
        self,
        name: str,
        pods: tuple[_Pod, _Pod],
        decisions: tuple[SetDecision | None, SetDecision | None],
        *,
        is_lost: bool,
    ) -> Cause:
        """Why only one version applies: a label that differs, or else the field that decides."""
        failing = 1 if is_lost else 0
        decision = decisions[failing]
        if decision is None:
            source = self._worlds[1 - failing].sources.get(name)
            gone = "is removed" if is_lost else "is new"
            return Cause(f"SidecarSet {name} {gone}", source.place() if source else None, Reason.NO_SET_APPLIES)
        if decision.reason in UNSEEN:  # nothing in the SidecarSet decides
            return Cause(decision.message, None, decision.reason)
        decision = with_evidence(decision, pods[failing].manifest, self._contexts[failing], pods[failing].identity)
        for evidence in self._evidence(decision, pods[failing], self._contexts[failing]):
            if cause := self._label_cause(evidence, pods, decision.reason):
                return cause
        if move := _move(pods):
            return Cause(move, pods[1].source.place(_NAMESPACE) if pods[1].source else None, decision.reason)
        source = self._worlds[1].sources.get(decision.canary or name)
        values = [
            value_at(world.sources[name].manifest, decision.path) if name in world.sources else None
            for world in self._worlds
        ]
        text = f"{path_text(decision.path)}: {_shown(values[0])} → {_shown(values[1])}"
        return Cause(text, source.place(decision.path) if source else None, decision.reason)

    def _evidence(self, decision: SetDecision, pod: _Pod, context: InjectionContext) -> Iterator[Evidence]:
        namespace = pod.identity.namespace or DEFAULT_NAMESPACE
        unseen = context.rules_in(namespace).unseen
        skips = unseen.label if unseen and unseen.reason is decision.reason else ""
        spec = context.rules[decision.set_name].sidecarset.spec
        asked = Asked(spec, namespace, _labels_in(context, namespace), labels_of(pod.manifest), None, skips)
        for test in tests_in_order(decision, asked):
            if test.passed is False:
                yield from test.evidence

    def _label_cause(self, evidence: Evidence, pods: tuple[_Pod, _Pod], reason: Reason) -> Cause | None:
        """A label of the Namespace or of the pod that is not the same in both versions."""
        if evidence.path[:2] != ("metadata", "labels") or evidence.holder is Holder.SIDECARSET:
            return None
        key = str(evidence.path[-1])
        if evidence.holder is Holder.NAMESPACE:
            if _move(pods):
                return None
            namespace = pods[1].identity.namespace or DEFAULT_NAMESPACE
            labels = [_labels_in(context, namespace) for context in self._contexts]
            sources = [world.namespace_source(namespace) for world in self._worlds]
            path: Path = evidence.path
            holder = f"Namespace {namespace}"
        else:
            labels = [labels_of(pod.manifest) for pod in pods]
            sources = [pod.source for pod in pods]
            path = (*pods[1].path, *evidence.path)
            holder = "the pod template" if pods[1].path else "the pod"
        old, new = (item.get(key) for item in labels)
        if old == new:
            return None
        source = sources[1] or sources[0]
        text = "; ".join(filter(None, (_move(pods), f"label {key} of {holder}: {_shown(old)} → {_shown(new)}")))
        return Cause(text, source.place(path) if source else None, reason)


def _may_refuse(spec: Object) -> bool:
    """Whether a SidecarSet may make Kruise reject a pod that it matches."""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    has_policy = any(item.get("resourcesPolicy") for item in containers)
    return has_policy or bool(spec.get("patchPodMetadata")) or names_priorities({"spec": spec})


def _template(found: Located, path: Path, namespace: str) -> _Pod:
    name = f"{found.reference.name}-0" if path else found.reference.name
    identity = Identity(found.reference.namespace or namespace, name)
    return _Pod(value_at(found.manifest, path), identity, found, path)


def _labels_in(context: InjectionContext, namespace: str) -> Labels:
    return {**context.namespaces.get(namespace, {}), NAMESPACE_NAME_LABEL: namespace}


def _move(pods: tuple[_Pod, _Pod]) -> str:
    """`it moves from namespace shop to web`; empty for pods that stay."""
    old, new = (pod.identity.namespace or DEFAULT_NAMESPACE for pod in pods)
    return "" if old == new else f"it moves from namespace {old} to {new}"


def _shown(value: Value) -> str:
    return "none" if value is None else value if isinstance(value, str) else readable(value)


def _of_sort(sort: PodSort) -> tuple[Path, str]:
    return sort.template.path, sort.name
