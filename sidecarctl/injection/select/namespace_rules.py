"""The sets as seen from one namespace: their order, and which of them still have to be asked about a pod.

Source: docs/behaviour/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Mapping

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.finding_subjects import naming
from sidecarctl.facts.findings import Finding, warning
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.injection.build.set_plan import reference_to
from sidecarctl.injection.select import decisions
from sidecarctl.injection.select.decisions import Decision, Selection
from sidecarctl.sidecarset.matching import Matcher, in_injection_order, is_injection_paused
from sidecarctl.sidecarset.revisions.revision_choice import Chooser
from sidecarctl.sidecarset.sets import SidecarSet

CONTROL_PLANE_LABEL = "control-plane"
"""Kruise's webhook does not see pods in namespaces that have this label, with whatever value."""


class Rule(NamedTuple):
    """A set with what answers whether it applies to a pod, and at which revision."""

    sidecarset: SidecarSet
    matcher: Matcher
    chooser: Chooser


class NamespaceRules:
    """All sets, in the order in which they are injected into pods of one namespace.

    - `asked`: those that select the namespace and are not paused.
    - `doubtful`: those that require labels of a namespace without a manifest, except paused sets.
    - `excluded`: the decisions for the sets that are not asked.
    """

    def __init__(self, namespace: str, rules: Mapping[str, Rule], labels: Labels | None) -> None:
        self.namespace = namespace
        self.has_control_plane_label = CONTROL_PLANE_LABEL in (labels or {})
        self.rules = [rules[sidecarset.name] for sidecarset in in_injection_order(_sets(rules.values()), namespace)]
        self.excluded = {name: decision for name, rule in rules.items() if (decision := self._exclusion(rule))}
        self.asked = [rule for rule in self.rules if rule.sidecarset.name not in self.excluded]
        self.unselected = {rule.sidecarset.name: decisions.other_labels(rule.sidecarset) for rule in self.asked}
        self.selections: dict[tuple[object, ...], Selection] = {}
        self.doubtful = [rule for rule in self.rules if self._is_doubtful(rule)]

    def doubt(self, rule: Rule) -> Finding:
        """The warning that a doubtful set may or may not apply to the pods of the namespace."""
        message = (
            f"it requires labels of namespace {self.namespace}, but there is no manifest for that namespace: "
            f"only the label kubernetes.io/metadata.name is assumed"
        )
        hint = f"add the Namespace {self.namespace} with -s"
        finding = warning(Reason.NAMESPACE_UNKNOWN, message, ("spec", "namespaceSelector"), hint=hint)
        return naming(reference_to(rule.sidecarset), [finding])[0]

    def _exclusion(self, rule: Rule) -> Decision | None:
        if is_injection_paused(rule.sidecarset.spec):
            return decisions.paused(rule.sidecarset)
        if rule.matcher.selects_namespace(self.namespace):
            return None
        is_known = not rule.matcher.lacks_labels_of(self.namespace)
        return decisions.other_namespace(rule.sidecarset, self.namespace, is_known=is_known)

    def _is_doubtful(self, rule: Rule) -> bool:
        return not is_injection_paused(rule.sidecarset.spec) and rule.matcher.lacks_labels_of(self.namespace)


def _sets(rules: Iterable[Rule]) -> list[SidecarSet]:
    return [rule.sidecarset for rule in rules]
