"""The sets of a run, and all that is worked out once for very many pods.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.findings import Finding
from sidecarctl.injection.build.injection_records import Recorder
from sidecarctl.injection.build.pod_plan import PodPlan
from sidecarctl.injection.build.prepared import Prepared
from sidecarctl.injection.build.set_findings import findings_about
from sidecarctl.injection.build.set_plan import SetPlan
from sidecarctl.injection.options import InjectionOptions
from sidecarctl.injection.select.namespace_rules import NamespaceRules, Rule
from sidecarctl.releases.release import MASTER, Release
from sidecarctl.sidecarset.matching import Matcher, namespace_of
from sidecarctl.sidecarset.revisions.controller_revisions import KRUISE_NAMESPACE, Revision
from sidecarctl.sidecarset.revisions.revision_choice import Chooser
from sidecarctl.sidecarset.sets import SidecarSet


class InjectionContext:
    """All that decides about pods, the pods themselves apart.

    `namespaces` holds the labels of each Namespace that a manifest is known of. Names of sets are unique.
    `release` is the Kruise that admitted the sets, the same for all of a run; it decides only where there is no set.
    `names_release`: the user named it, and so knows what it does with canaries.
    """

    def __init__(
        self,
        sidecarsets: Iterable[SidecarSet],
        *,
        namespaces: Mapping[str, Labels] | None = None,
        revisions: Sequence[Revision] = (),
        options: InjectionOptions | None = None,
        release: Release = MASTER,
        names_release: bool = False,
    ) -> None:
        self.namespaces = namespaces or {}
        self.revisions = revisions
        self.options = options or InjectionOptions()
        self.names_release = names_release
        self.rules = {
            sidecarset.name: self._rule(sidecarset)
            for sidecarset in sorted(sidecarsets, key=lambda sidecarset: sidecarset.name)
        }
        self.release = next((rule.sidecarset.release for rule in self.rules.values()), release)
        self._namespaces: dict[str, NamespaceRules] = {}
        self._restored: dict[tuple[str, str], SidecarSet | None] = {}
        self._plans: dict[int, SetPlan] = {}
        self._prepared: dict[tuple[int, ...], Prepared] = {}

    def rules_in(self, namespace: str) -> NamespaceRules:
        """The sets as seen from a namespace; an empty one is `default`, but in old releases."""
        namespace = namespace_of(namespace, self.release)
        rules = self._namespaces.get(namespace)
        if rules is None:
            rules = NamespaceRules(namespace, self.rules, self.namespaces.get(namespace))
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
            prepared = Prepared(plan, Recorder(plan, self.options), tuple(self._findings(plan)))
            self._prepared[key] = prepared
        return prepared

    def restored(self, sidecarset: SidecarSet, revision_name: str) -> SidecarSet | None:
        """A set as a revision of that name has it; None if that is not known, or cannot be applied."""
        key = sidecarset.name, revision_name
        if key not in self._restored:
            from sidecarctl.sidecarset.revisions.revision_restoring import restored  # few runs know revisions

            named = [
                revision
                for revision in self.revisions
                if (revision.namespace, revision.name) == (KRUISE_NAMESPACE, revision_name)
            ]
            self._restored[key] = restored(sidecarset, named[0]) if named else None
        return self._restored[key]

    def _findings(self, plan: PodPlan) -> Iterator[Finding]:
        return findings_about(plan.plans, notes_canaries=not self.names_release)

    def _rule(self, sidecarset: SidecarSet) -> Rule:
        chooser = Chooser(sidecarset, self.revisions, self.options.seed)
        return Rule(sidecarset, Matcher(sidecarset, self.namespaces), chooser)
