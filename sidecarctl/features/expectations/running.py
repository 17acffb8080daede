"""Cases, run over inputs that are read once however many cases there are."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.field_table import likely_field, unknown_fields
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, SidecarctlError, placed, usage_error
from sidecarctl.engine.facts.findings import Finding, Place, Severity, error, reference_of
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, path_text, value_at
from sidecarctl.engine.files.inputs import PREFIX, STDIN
from sidecarctl.engine.inputs.opening import Named
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.sidecarset.world import Located
from sidecarctl.engine.validation.suppression import refuses
from sidecarctl.features.expectations.document import Case, CaseResult, Failure, SidecarTest, Site
from sidecarctl.features.expectations.matching import Mismatch, is_like
from sidecarctl.features.expectations.pods import pod_mismatches
from sidecarctl.features.expectations.rollouts import change_outcome, rollout_outcome
from sidecarctl.library.answers import InjectedPod, Injection
from sidecarctl.library.inputs import FoundPod, Inputs
from sidecarctl.library.loading import gates_of, loaded, named_release


class Settings(NamedTuple):
    """The defaults of every file: how inputs are read, and the feature gates.

    `named` has what is left out of folders.
    """

    how: Reading = Reading()
    gates: frozenset[str] = frozenset()
    named: Named = Named(())


class Runner:
    """Runs cases; every set of inputs is read once, and each of its pods is injected once."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read: dict[object, Subjects] = {}

    def result(self, test: SidecarTest, case: Case) -> CaseResult:
        """The result of a case; SidecarctlError for what cannot be read or computed."""
        match case.subject:
            case "sidecarset":
                number, failures = 0, list(self._of_sidecarset(test, case))
            case "change" | "rollout":
                number, failures = self._of_rollout(test, case)
            case _:
                number, failures = _of_pods(case, self.subjects(test))
        return CaseResult(case.name, case.place(), number, failures)

    def subjects(self, test: SidecarTest, pods: str = "", named: Place | None = None) -> "Subjects":
        """The inputs of a test, with the pods of another file, `named` there; InputError if they cannot be read."""
        said = test.inputs
        paths = [_from_file(test, said.get(key) or ()) for key in ("sidecarsets", "manifests")]
        dump = _from_file(test, [pods]) if pods else []
        paths[1] += dump
        key = (*map(tuple, paths), *(str(said.get(name)) for name in _OPTIONS))
        if key not in self._read:
            try:
                self._read[key] = Subjects(self._loaded(said, [*paths[0], *paths[1]]))
            except SidecarctlError as fault:
                places = dict.fromkeys(dump, named)
                raise type(fault)(*_named_by(fault.findings, places, test.place(("inputs",)))) from None
        return self._read[key]

    def _loaded(self, said: Object, paths: Sequence[str]) -> Inputs:
        how, gates = self._settings.how, self._settings.gates
        if said.get("kruise"):
            how = how._replace(release=named_release(said["kruise"]))
        if said.get("namespace"):
            how = how._replace(namespace=said["namespace"])
        if said.get("namespaceLabels"):
            how = how._replace(namespaces={**how.namespaces, **said["namespaceLabels"]})
        if said.get("featureGates"):
            gates = gates_of({gate: on for gate, on in said["featureGates"].items() if on is not None})
        return loaded(self._settings.named._replace(paths=list(dict.fromkeys(paths))), how, gates)

    def _of_rollout(self, test: SidecarTest, case: Case) -> tuple[int, list[Failure]]:
        """The number of pods of a changed SidecarSet, and what of its change or rollout is not as expected."""
        inputs = self.subjects(test, case.about.get("pods") or "", case.place((case.subject, "pods"))).inputs
        compute = change_outcome if case.subject == "change" else rollout_outcome
        try:
            outcome = compute(case.about, case.expect, inputs)
        except SidecarctlError as fault:
            raise type(fault)(*_in_case(fault.findings, case)) from None
        name = case.about["sidecarset"]
        found = [*_refused_mismatches(case, outcome.refused), *outcome.mismatches]
        sites = [Site(f"SidecarSet {name}", inputs.world.sources[name].place())]
        return outcome.pods, [_failure_of(case, mismatch, (), sites) for mismatch in found]

    def _of_sidecarset(self, test: SidecarTest, case: Case) -> Iterator[Failure]:
        inputs = self._loaded(test.inputs, _from_file(test, [case.about]))
        found = [finding for finding in inputs.validate() if refuses(finding)]
        expected = case.expect["refused"]
        if not any(is_like(expected, code_of(finding)) for finding in found):
            sites = [Site(str(finding.subject or ""), finding.place, finding.message) for finding in found]
            mismatch = Mismatch(("refused",), expected, _refusal(found), tuple(_codes(found)[:1]))
            yield _failure_of(case, mismatch, (), sites)


_OPTIONS = ("kruise", "namespace", "namespaceLabels", "featureGates")


def _from_file(test: SidecarTest, paths: Sequence[str]) -> list[str]:
    """Paths as seen from the current folder; those of a file count from its own."""
    if STDIN in paths:
        raise usage_error("a test cannot read standard input (-)")
    folder = os.path.dirname(test.file)  # noqa: PTH120 - what the user calls it
    return [path if path.startswith(PREFIX) else os.path.normpath(os.path.join(folder, path)) for path in paths]  # noqa: PTH118 - a text


def _named_by(findings: Sequence[Finding], places: Mapping[str, Place | None], inputs: Place) -> list[Finding]:
    """Findings without a line in a file get the place where the test names that file or its inputs."""
    return [
        finding
        if finding.hint or (finding.place and finding.place.line)
        else finding._replace(hint=f"named in {places.get(finding.place.file if finding.place else '') or inputs}")
        for finding in findings
    ]


def _in_case(findings: Sequence[Finding], case: Case) -> list[Finding]:
    """Findings without a place get that of the case, such as for a SidecarSet that does not exist."""
    return [item if item.place else item._replace(place=case.place((case.subject,)), path=()) for item in findings]


def code_of(finding: Finding) -> str:
    """The rule of a finding, or its reason."""
    return finding.rule or str(finding.reason)


Condition: TypeAlias = tuple[str, tuple[str, ...]]
"""A field of pods, or `labels/KEY`, and the globs; its value has to match one of them."""


class Injected(NamedTuple):
    """A pod after injection: as Kruise would create it, or why that is refused or not known."""

    pod: InjectedPod | None
    refusals: Sequence[Finding] = ()
    unknown: str = ""


class Subjects:
    """The pods of inputs, each injected when a case first looks at it."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self._injected: dict[object, Mapping[object, Injected]] = {}
        self._known: dict[Condition, frozenset[int]] = {}

    def selected(self, select: Object) -> list[FoundPod]:
        """The pods that meet all conditions."""
        conditions = [(field, _globs(select[field])) for field in ("kind", "name", "namespace") if select.get(field)]
        conditions += [(f"labels/{key}", (glob,)) for key, glob in (select.get("labels") or {}).items()]
        every = self.inputs.templates
        if not conditions:
            return list(every)
        return [every[index] for index in sorted(frozenset.intersection(*map(self._having, conditions)))]

    def _having(self, condition: Condition) -> frozenset[int]:
        """The pods that meet a condition, by index; cached, because many cases share conditions."""
        if condition not in self._known:
            field, globs = condition
            values = ((index, _value(found, field)) for index, found in enumerate(self.inputs.templates))
            met = (
                index for index, value in values if any(is_like(glob, value) for glob in globs if value is not None)
            )
            self._known[condition] = frozenset(met)
        return self._known[condition]

    def written(self, case: Case) -> list[FoundPod]:
        """The pods of the manifest that a case has; InputError for none, and for a misspelled field."""
        manifest = {"apiVersion": "v1", "kind": "Pod", **case.about}
        metadata = manifest.get("metadata")
        if isinstance(metadata, dict) and not metadata.get("name"):
            manifest["metadata"] = {**metadata, "name": "pod"}
        path = (*case.path, "pod")
        located = Located(manifest, reference_of(manifest), case.file, case.document, path)
        found = list(self.inputs.found_in(located))
        problems = [problem for pod in found for problem in _unknown_fields(pod)]
        if not found:
            problems = [error(Reason.NO_MANIFEST, f"a {located.reference.kind or 'manifest'} has no pod")]
        if problems:
            raise InputError(*placed(problems, located.reference, located.place))
        return found

    def injected(self, found: FoundPod) -> Injected:
        """A pod after injection; InputError if it cannot be decoded."""
        located = found.located
        key = located.file, id(located.document), located.path
        if key not in self._injected:
            self._injected[key] = self._of_object(located)
        of_object = self._injected[key]
        return of_object.get(found.path) or of_object[None]

    def _of_object(self, located: Located) -> Mapping[object, Injected]:
        try:
            injection = self.inputs.injected(located)
        except ImpossibleError as fault:
            return {None: Injected(None, fault.findings)}
        unknown = _unknown(injection)
        return {pod.path: Injected(pod, (), unknown) for pod in injection.pods}

    def sidecarsets(self, found: FoundPod, names: Sequence[str]) -> list[Site]:
        """These SidecarSets, each with the place that decides, and why it is injected or not."""
        sources = self.inputs.world.sources
        return [
            Site(f"SidecarSet {item.sidecarset}", item.place or sources[item.sidecarset].place(), item.message)
            for explanation in (self.inputs.explained(found.located) if names else ())
            if explanation.path == found.path
            for item in explanation.decisions
            if item.sidecarset in names
        ]


def _unknown_fields(pod: FoundPod) -> Iterator[Finding]:
    """The misspelled fields of a pod: with them a SidecarSet might never match, and `injected: []` always hold."""
    for path, type_name in unknown_fields(value_at(pod.located.manifest, pod.path), "core.Pod", pod.path):
        meant = likely_field(str(path[-1]), type_name)
        hint = f"did you mean {meant}?" if meant else ""
        yield error(Reason.UNKNOWN_FIELD, f"unknown field {path[-1]}", path, hint=hint)


def _unknown(injection: Injection) -> str:
    """Why the result for a pod is unknown; empty if it is known."""
    for item in injection.findings:
        if item.severity is not Severity.NOTE and item.reason in _UNKNOWN:
            return f"{item.message}{_UNKNOWN[item.reason]}"
    return ""


_UNKNOWN = {Reason.NAMESPACE_UNKNOWN: "; inputs.namespaceLabels can say it", Reason.SUBSET_DIFFERS: ""}
"""A failure of the whole case, with a hint."""


def _globs(said: str | Sequence[str]) -> tuple[str, ...]:
    return (said,) if isinstance(said, str) else tuple(said)


def _value(found: FoundPod, field: str) -> str | None:
    """A pod's value of a field that can be selected by; None for a label that it lacks."""
    match field:
        case "kind":
            return found.located.reference.kind
        case "name":
            return found.located.reference.name
        case "namespace":
            return found.namespace
    label = found.labels.get(field.removeprefix("labels/"))
    return None if label is None else str(label)


def _of_pods(case: Case, subjects: Subjects) -> tuple[int, list[Failure]]:
    """The number of pods of a case, and the failed expectations."""
    found = subjects.selected(case.about) if case.subject == "select" else subjects.written(case)
    if not found:
        failure = Failure("select", case.place((case.subject,)), "a pod or workload", "none; allowEmpty accepts that")
        return 0, [] if case.allows_none else [failure]
    groups: dict[object, tuple[Mismatch, list[FoundPod]]] = {}
    for pod in found:
        for mismatch in _mismatches(case, subjects.injected(pod)):
            groups.setdefault(mismatch[:3], (mismatch, []))[1].append(pod)
    return len(found), [_failure(case, subjects, mismatch, pods, len(found)) for mismatch, pods in groups.values()]


def _refused_mismatches(case: Case, refusals: Sequence[Finding]) -> list[Mismatch]:
    """Whether the case expects Kruise to refuse the pod for this reason."""
    refused = case.expect.get("refused")
    if refused is not None:
        is_so = any(is_like(refused, code_of(finding)) for finding in refusals)
        return [] if is_so else [Mismatch(("refused",), refused, _refusal(refusals), tuple(_codes(refusals)[:1]))]
    said = "; ".join(f"{finding.message} [{code_of(finding)}]" for finding in refusals)
    return [Mismatch((), "what Kruise accepts", said)] if refusals else []


def _mismatches(case: Case, injected: Injected) -> Iterator[Mismatch]:
    if refused := _refused_mismatches(case, injected.refusals):
        yield from refused
    elif injected.unknown:
        yield Mismatch((), "to know what the pod gets", injected.unknown)
    elif injected.pod is not None and "refused" not in case.expect:
        yield from pod_mismatches(case.expect, injected.pod)


def _refusal(findings: Sequence[Finding]) -> str:
    return ", ".join(_codes(findings)) or "accepted"


def _codes(findings: Sequence[Finding]) -> list[str]:
    return list(dict.fromkeys(map(code_of, findings)))


def _failure(case: Case, subjects: Subjects, mismatch: Mismatch, pods: Sequence[FoundPod], number: int) -> Failure:
    if len(pods) < number:  # it holds for the others
        mismatch = mismatch._replace(new=())
    sites = [Site(f"{pod.located.reference}", pod.located.place(pod.path)) for pod in pods]
    sidecarsets = subjects.sidecarsets(pods[0], _deciding(case, subjects, mismatch, pods[0]))
    return _failure_of(case, mismatch, sites, sidecarsets)


def _failure_of(case: Case, mismatch: Mismatch, objects: Sequence[Site], sidecarsets: Sequence[Site]) -> Failure:
    place = case.place(("expect", *mismatch.path))
    field = path_text(mismatch.path)
    return Failure(
        field, place, mismatch.expected, mismatch.actual, objects, sidecarsets, mismatch.path, mismatch.new
    )


def _deciding(case: Case, subjects: Subjects, mismatch: Mismatch, pod: FoundPod) -> list[str]:
    """The SidecarSets that a failure is about: those that should or should not be injected, else those that are."""
    injected = subjects.injected(pod).pod
    names = injected.sidecarsets if injected else ()
    if mismatch.path[:1] != ("injected",):
        return list(names)
    globs = case.expect["injected"] or ()
    return [
        name for name in subjects.inputs.sidecarsets if any(is_like(glob, name) for glob in globs) != (name in names)
    ]
