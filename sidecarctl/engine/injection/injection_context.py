"""The sets of a run, and everything that is computed once for very many pods.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import naming
from sidecarctl.engine.facts.findings import Finding, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.injection import decisions
from sidecarctl.engine.injection.decisions import InjectionOptions, Selection, SetDecision
from sidecarctl.engine.injection.pod.injected_pod import Prepared
from sidecarctl.engine.injection.pod.pod_plan import PodPlan
from sidecarctl.engine.injection.pod.set_plan import SetPlan, reference_to
from sidecarctl.engine.releases.feature_gates import ENHANCED_LIVENESS, KRUISE_DAEMON, READINESS_GATE, is_on
from sidecarctl.engine.releases.release import DEFAULT, Release
from sidecarctl.engine.sidecarset.revisions.controller_revisions import KRUISE_NAMESPACE, Revision
from sidecarctl.engine.sidecarset.revisions.revision_choice import Chooser
from sidecarctl.engine.sidecarset.sets import (
    Matcher,
    SidecarSet,
    in_injection_order,
    is_injection_paused,
    namespace_of,
)
from sidecarctl.engine.sidecarset.webhook_scope import WebhookScope, with_gates
from sidecarctl.engine.sidecarset.world import World, chosen_sidecarsets


class SetRule(NamedTuple):
    """A set with the objects that decide whether it applies to a pod, and at which revision."""

    sidecarset: SidecarSet
    matcher: Matcher
    chooser: Chooser


class NamespaceRules:
    """All sets, in the order in which they are injected into pods of one namespace.

    - `asked`: those that select the namespace and are not paused.
    - `doubtful`: those that require labels of a namespace without a manifest, except paused sets.
    - `excluded`: the decisions for the sets that are not asked.
    - `unseen`: why the webhook sees no pod of the namespace; None if it does.
    - `remarks`: that it may not see them, because the labels of the namespace are not known.
    """

    def __init__(
        self, namespace: str, rules: Mapping[str, SetRule], webhook: WebhookScope, labels: Labels | None
    ) -> None:
        self.namespace = namespace
        self.unseen = webhook.unseen(namespace, labels)
        is_doubtful = self.unseen is None and labels is None and webhook.asks_for_labels
        self.remarks = (self._unknown(webhook),) if is_doubtful else ()
        self.rules = [rules[sidecarset.name] for sidecarset in in_injection_order(_sets(rules.values()), namespace)]
        self.excluded = {name: decision for name, rule in rules.items() if (decision := self._exclusion(rule))}
        self.asked = [rule for rule in self.rules if rule.sidecarset.name not in self.excluded]
        self.unselected = {rule.sidecarset.name: decisions.other_labels(rule.sidecarset) for rule in self.asked}
        self.selections: dict[tuple[object, ...], Selection] = {}
        self.doubtful = [rule for rule in self.rules if self._is_doubtful(rule)]

    def doubt(self, rule: SetRule) -> Finding:
        """The warning that a doubtful set may or may not apply to the pods of the namespace."""
        message = (
            f"it requires labels of namespace {self.namespace}, but there is no manifest for that namespace: "
            f"only the label kubernetes.io/metadata.name is assumed"
        )
        hint = f"add the Namespace {self.namespace} to the inputs, or its labels with --namespace-labels"
        finding = warning(Reason.NAMESPACE_UNKNOWN, message, ("spec", "namespaceSelector"), hint=hint)
        return naming(reference_to(rule.sidecarset), [finding])[0]

    def _unknown(self, webhook: WebhookScope) -> Finding:
        message = (
            f"{webhook.rule} selects by labels of namespaces, but there is no manifest for Namespace "
            f"{self.namespace}: only the label kubernetes.io/metadata.name is assumed"
        )
        return warning(Reason.NAMESPACE_UNKNOWN, message, hint=f"add the Namespace {self.namespace} with -s")

    def _exclusion(self, rule: SetRule) -> SetDecision | None:
        if is_injection_paused(rule.sidecarset.spec):
            return decisions.paused(rule.sidecarset)
        if rule.matcher.selects_namespace(self.namespace):
            return None
        is_known = not rule.matcher.lacks_labels_of(self.namespace)
        return decisions.other_namespace(rule.sidecarset, self.namespace, is_known=is_known)

    def _is_doubtful(self, rule: SetRule) -> bool:
        return not is_injection_paused(rule.sidecarset.spec) and rule.matcher.lacks_labels_of(self.namespace)


def _sets(rules: Iterable[SetRule]) -> list[SidecarSet]:
    return [rule.sidecarset for rule in rules]


class InjectionContext:
    """Everything that decides about pods, except the pods themselves.

    `namespaces` holds the labels of each Namespace that a manifest is known of. Names of sets are unique.
    `release` is the Kruise that admitted the sets, the same for all of a run; it decides only if there is no set.
    `webhook`: which pods are seen at all; without it, those that the Helm chart of the release lets through.
    `gates_every_pod` and `moves_probes`: what the feature gates make of the steps for the pods of Kruise's workloads.
    """

    def __init__(
        self,
        sidecarsets: Iterable[SidecarSet],
        *,
        namespaces: Mapping[str, Labels] | None = None,
        revisions: Sequence[Revision] = (),
        options: InjectionOptions | None = None,
        release: Release = DEFAULT,
        webhook: WebhookScope | None = None,
    ) -> None:
        self.namespaces = namespaces or {}
        self.revisions = revisions
        self.options = options or InjectionOptions()
        self.rules = {
            sidecarset.name: self._rule(sidecarset)
            for sidecarset in sorted(sidecarsets, key=lambda sidecarset: sidecarset.name)
        }
        self.release = next((rule.sidecarset.release for rule in self.rules.values()), release)
        self.webhook = webhook or WebhookScope(release=self.release)
        gates = self.options.feature_gates
        self.gates_every_pod = is_on(READINESS_GATE, gates)
        self.moves_probes = (
            self.release.enhanced_liveness and is_on(ENHANCED_LIVENESS, gates) and is_on(KRUISE_DAEMON, gates)
        )
        self._namespaces: dict[str, NamespaceRules] = {}
        self._restored: dict[tuple[str, str], SidecarSet | None] = {}
        self._plans: dict[int, SetPlan] = {}
        self._prepared: dict[tuple[int, ...], Prepared] = {}

    def rules_in(self, namespace: str) -> NamespaceRules:
        """The sets as seen from a namespace; an empty one is `default`, but in old releases."""
        namespace = namespace_of(namespace, self.release)
        rules = self._namespaces.get(namespace)
        if rules is None:
            labels = self.namespaces.get(namespace)
            rules = NamespaceRules(namespace, self.rules, self.webhook, labels)
            self._namespaces[namespace] = rules
        return rules

    def plan(self, sidecarset: SidecarSet) -> SetPlan:
        """The plan of a set, as given or as restored from a revision; always the same for the same object."""
        plan = self._plans.get(id(sidecarset))
        if plan is None or plan.sidecarset is not sidecarset:
            plan = self._plans[id(sidecarset)] = SetPlan(sidecarset)  # holds the set, so that its id stays its own
        return plan

    def prepared(self, sidecarsets: Sequence[SidecarSet]) -> Prepared:
        """All that sets inject together, in this order."""
        key = tuple(map(id, sidecarsets))
        prepared = self._prepared.get(key)
        if prepared is None:
            plan = PodPlan(
                [self.plan(sidecarset) for sidecarset in sidecarsets], self.options.feature_gates, self.release
            )
            prepared = self._prepared[key] = Prepared(plan, self.options)
        return prepared

    def restored(self, sidecarset: SidecarSet, revision_name: str) -> SidecarSet | None:
        """A set as a revision of that name has it; None if that is not known, or cannot be applied."""
        key = sidecarset.name, revision_name
        if key not in self._restored:
            from sidecarctl.engine.sidecarset.revisions.revision_restoring import restored  # few runs know revisions

            named = [
                revision
                for revision in self.revisions
                if (revision.namespace, revision.name) == (KRUISE_NAMESPACE, revision_name)
            ]
            self._restored[key] = restored(sidecarset, named[0]) if named else None
        return self._restored[key]

    def _rule(self, sidecarset: SidecarSet) -> SetRule:
        chooser = Chooser(sidecarset, self.revisions, self.options.seed)
        return SetRule(sidecarset, Matcher(sidecarset, self.namespaces), chooser)


def injection_context(world: World, options: InjectionOptions, option: str = "--only") -> InjectionContext:
    """The world with these options; UsageError for a SidecarSet that does not exist.

    `option` is the option that named the SidecarSets.
    """
    chosen = chosen_sidecarsets(world, options.only, option)
    return InjectionContext(
        chosen,
        namespaces=world.namespaces,
        revisions=world.revisions,
        options=options,
        release=world.release,
        webhook=with_gates(world.webhook, options.feature_gates),
    )
