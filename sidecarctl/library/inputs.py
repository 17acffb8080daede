"""Inputs that were read once, and every question about them.

Everything is computed lazily: a SidecarSet that cannot be decoded stops what needs it, not `validate`.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from sidecarctl.engine.api.decoding import described
from sidecarctl.engine.api.field_table import likely_field, unknown_fields
from sidecarctl.engine.api.made_pods import as_template
from sidecarctl.engine.api.workloads import pod_template_paths
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.facts.errors import InputError, SidecarctlError, placed, usage_error
from sidecarctl.engine.facts.findings import Finding, reference_of
from sidecarctl.engine.facts.values import Object, Path, path_text, value_at
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injection_context import injection_context
from sidecarctl.engine.injection.pod_templates import Templates
from sidecarctl.engine.inputs.manifests import Manifests
from sidecarctl.engine.inputs.objects import ManifestObject, Unplaced
from sidecarctl.engine.inputs.pods import inputs_of
from sidecarctl.engine.inputs.reading import Reading
from sidecarctl.engine.inputs.world import decides, is_sidecarset
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.report import ObjectChange, Outcome
from sidecarctl.engine.rollout.plan_options import PlanOptions, update_duration
from sidecarctl.engine.sidecarset.world import Located, World
from sidecarctl.engine.transforming.inject import Inject
from sidecarctl.engine.validation.warnings import accepted, refuse_unknown
from sidecarctl.features.explain.explanations import Explainer
from sidecarctl.features.explain.subjects import subjects_of
from sidecarctl.features.validate.validate import ValidateOptions, validate_report
from sidecarctl.library.answers import Change as SetChange
from sidecarctl.library.answers import Decision, Explanation, InjectedPod, Injection, Rollout
from sidecarctl.library.rollouts import changes, rollout_of

if TYPE_CHECKING:  # most runs explain and plan nothing
    from sidecarctl.engine.inputs.pods import PodInputs as GatheredInputs
    from sidecarctl.features.explain.explained import PodExplanation, SetExplanation


class Inputs:
    """SidecarSets and all other objects, as `load` read them. They never change, and no method writes anything."""

    def __init__(self, manifests: Manifests, how: Reading, gates: frozenset[str] = frozenset()) -> None:
        self._manifests = manifests
        self._how = how
        self._gates = gates

    @property
    def kruise(self) -> str:
        """The release of Kruise whose behavior is computed."""
        return self._how.release.behavior

    @property
    def sidecarsets(self) -> tuple[str, ...]:
        """The names of the SidecarSets; InputError if one cannot be decoded."""
        return tuple(sidecarset.name for sidecarset in self.world.sidecarsets)

    @property
    def manifests(self) -> tuple[Object, ...]:
        """Every object of the files, in their order."""
        return tuple(located.manifest for located in self._manifests.objects)

    def inject(self, manifest: Object) -> Injection:
        """A pod or workload as Kruise would create its pods; a manifest without a pod is returned unchanged.

        InputError for what the API cannot decode, ImpossibleError where Kruise rejects the pod or a SidecarSet.
        """
        return self.injected(_from_nowhere(manifest))

    def explain(self, manifest: Object) -> tuple[Explanation, ...]:
        """Why each pod of a manifest gets its sidecars; InputError for what the API cannot decode."""
        return self.explained(_from_nowhere(manifest))

    def diff(self, before: "Inputs") -> tuple[SetChange, ...]:
        """What the SidecarSets of these inputs change for their pods and workloads, compared with those before.

        A change for each SidecarSet of either, by name. InputError for what cannot be decoded.
        """
        return changes(_given(before).gathered, self.gathered, self._how, self._gates)

    def plan(
        self,
        sidecarset: str,
        before: "Inputs | None" = None,
        *,
        pod_update_duration: str = "1",
        fail: Sequence[str] = (),
        update_strategy: Object | None = None,
    ) -> Rollout:
        """The rollout of a SidecarSet, as it is in these inputs, over their running pods.

        Without running pods over those that their workloads have under the SidecarSets `before`. The other arguments
        are as for `sidecarctl plan`; `update_strategy` replaces members of spec.updateStrategy. UsageError for
        arguments that make no sense, ImpossibleError if Kruise rejects the change.
        """
        if isinstance(fail, str):
            raise usage_error(f"fail is a list of patterns, not the text {fail}", hint=f'write ["{fail}"]')
        _refuse_strategy(update_strategy)
        steps, seconds = update_duration(str(pod_update_duration), "pod_update_duration")
        options = PlanOptions([sidecarset], steps, seconds, tuple(fail), overrides=update_strategy or {})
        earlier = (self if before is None else _given(before)).gathered
        return rollout_of(sidecarset, self.gathered, earlier, self._how, options, self._gates)

    def with_sidecarset(self, manifest: Object) -> "Inputs":
        """These inputs with this SidecarSet, instead of the one of its name; UsageError for another kind."""
        given = _from_nowhere(manifest)
        if not is_sidecarset(given):
            raise usage_error(f"with_sidecarset takes a SidecarSet, not {given.reference}")
        name = given.reference.name
        objects = self._manifests.objects
        old = [item for item in objects if is_sidecarset(item) and item.reference.name == name]
        new = [item._replace(manifest=manifest) for item in old[:1]] or [given]
        others = [item for item in objects if not (is_sidecarset(item) and item.reference.name == name)]
        return Inputs(self._manifests._replace(objects=[*new, *others]), self._how, self._gates)

    def validate(self) -> tuple[Finding, ...]:
        """Everything that `sidecarctl validate` finds, in the order of files and lines."""
        nothing = Manifests([], [], [], 0)
        report = validate_report(self._manifests, nothing, self._how, ValidateOptions(self._gates))
        return tuple(report.findings)

    # What follows is for the package itself: objects with their places.

    @cached_property
    def world(self) -> World:
        """What decides about pods; InputError if something in it cannot be decoded, ImpossibleError for gaps."""
        objects = (located for located in self._manifests.objects if decides(located.reference, located.manifest))
        world, faults = self._how.world(objects)
        if faults:
            raise InputError(*faults)
        refuse_unknown(world, self._gates)
        return world

    @cached_property
    def gathered(self) -> "GatheredInputs":
        """The inputs as the operations take them, with trimmed pods; InputError for what cannot be decoded."""
        return inputs_of(self._manifests.objects, self._how, self.world)

    @cached_property
    def templates(self) -> tuple["FoundPod", ...]:
        """Every pod and pod template of the inputs, in the order of the files."""
        return tuple(found for located in self._manifests.objects for found in self.found_in(located))

    def found_in(self, located: Located) -> Iterator["FoundPod"]:
        """The pods and pod templates of an object."""
        for path in pod_template_paths(located.manifest, self._how.workloads):
            labels = value_at(located.manifest, (*path, "metadata", "labels"))
            namespace = located.reference.namespace or self._how.namespace
            yield FoundPod(located, path, namespace, labels if isinstance(labels, dict) else {})

    def injected(self, located: Located) -> Injection:
        """The injection of an object with a place, which errors name; ImpossibleError for what Kruise rejects."""
        _ = self._accepted
        seen: list[InjectedPod] = []

        def task(pod: Object, found: ManifestObject, path: Path) -> ObjectChange:
            change, created = self._inject.of_created(pod, found, path)
            names = tuple(item.name for item in change.injected)
            seen.append(InjectedPod(path, change.after or created, names))
            return change if change.after is None else change._replace(after=as_template(change.after, created, pod))

        whole = ManifestObject(located.manifest, located.path, located.reference)
        try:
            change = self._inject.templates.transformed(whole, task)
        except SidecarctlError as fault:
            raise type(fault)(*placed(fault.findings, located.reference, located.place)) from None
        return Injection(
            change.after or located.manifest,
            change.outcome is Outcome.CHANGED,
            tuple(seen),
            str(change.reason or ""),
            change.summary,
            tuple(placed((*change.findings, *self._inject.subsets(whole)), located.reference, located.place)),
        )

    @cached_property
    def _accepted(self) -> Sequence[Finding]:
        """ImpossibleError if Kruise's webhook rejects one of the SidecarSets, as for `sidecarctl inject`."""
        return accepted(self.world, self._gates)

    @cached_property
    def _inject(self) -> Inject:
        context = injection_context(self.world, InjectionOptions(feature_gates=self._gates))
        return Inject(Templates(self.world, self._how.namespace, self._how.workloads), context, refuses_twins=True)

    def explained(self, located: Located) -> tuple[Explanation, ...]:
        """The explanation of an object with a place."""
        explainer = Explainer(self.world, self._inject.context, list)
        objects = [item for item in self._manifests.objects if item.reference != located.reference]
        subjects = subjects_of([located], self._how.namespace, self._how.workloads, lambda: objects)
        return tuple(_explanation(explainer.explained(subject), subject.path) for subject in subjects)


class FoundPod(NamedTuple):
    """A pod or pod template of the inputs, with its namespace and labels; `path` is `()` for a Pod."""

    located: Located
    path: Path
    namespace: str
    labels: Object


def _explanation(explained: "PodExplanation", path: Path) -> Explanation:
    return Explanation(
        explained.pod.name,
        path,
        explained.outcome,
        tuple(map(_decision, explained.sets)),
        (*explained.rejected, *explained.findings),
    )


def _decision(item: "SetExplanation") -> Decision:
    deciding = (at.place for test in item.tests if not test.test.passed for at in test.fields)
    decision = item.decision
    return Decision(item.name, str(decision.reason), decision.message, next(deciding, None), item.remedy)


def _given(before: object) -> Inputs:
    if not isinstance(before, Inputs):
        raise usage_error(f"before is what load returns, not {described(before)}")
    return before


def _refuse_strategy(strategy: object) -> None:
    """UsageError for anything that is not a part of spec.updateStrategy; a misspelled member would change nothing."""
    if strategy is not None and not isinstance(strategy, dict):
        raise usage_error(f"update_strategy is a dict, not {described(strategy)}")
    for path, kind in unknown_fields(strategy, "v1beta1.SidecarSetUpdateStrategy", release=MASTER):
        meant = likely_field(str(path[-1]), kind, MASTER)
        hint = f"did you mean {meant}?" if meant else ""
        raise usage_error(f"update_strategy: unknown field {path_text(path)}", hint=hint)


def _from_nowhere(manifest: Object) -> Located:
    if not isinstance(manifest, dict):
        raise usage_error(f"a manifest is a dict, not {described(manifest)}")
    document: Document = Unplaced(manifest)
    return Located(manifest, reference_of(manifest), "", document, ())
