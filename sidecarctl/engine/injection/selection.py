"""Which sets are injected into a pod, at which revision, in what order; and why every other set is not.

Source: docs/behavior/injection.md, "Which sets apply".
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sidecarctl.engine.api.decoding import check, decodes
from sidecarctl.engine.api.label_selectors import Labels, as_labels, is_empty, matches
from sidecarctl.engine.facts.errors import ImpossibleError, InputError, naming
from sidecarctl.engine.facts.findings import Finding, note
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Path, Value, value_at
from sidecarctl.engine.injection import decisions
from sidecarctl.engine.injection.decisions import Selection, SetDecision
from sidecarctl.engine.injection.injection_context import InjectionContext, NamespaceRules, SetRule
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.pod.set_plan import reference_to
from sidecarctl.engine.sidecarset.pod_annotations import (
    INJECTED_LIST,
    WORKING_CONTAINERS,
    injected_sets,
    read_working_containers,
)
from sidecarctl.engine.sidecarset.revisions.revision_choice import RevisionChoice
from sidecarctl.engine.sidecarset.sets import SidecarSet, is_hot, is_left_alone, names_in_pods, replaced_by_canaries

_NAMES = ("namespace", "name", "generateName")


class Identity(NamedTuple):
    """The namespace of a pod, empty for `default`, and its name.

    For a pod template the workload's namespace, and a name made of the workload's and the ordinal of the pod.
    """

    namespace: str
    name: str


def identity_of(pod: Object) -> Identity:
    """The identity in the pod's own metadata; InputError if it cannot be decoded."""
    return identity_in(metadata_of(pod))


def labels_of(pod: Object) -> Labels:
    """The labels of a pod; InputError if they cannot be decoded."""
    return labels_in(metadata_of(pod))


def metadata_of(pod: Object) -> Object:
    """The metadata of a pod, empty if absent; InputError if its names cannot be decoded."""
    metadata: Value = pod.get("metadata")
    if metadata is None:
        return {}
    if not isinstance(metadata, dict) or not all(map(_is_text, map(metadata.get, _NAMES))):
        raise _undecodable(metadata)
    return metadata


def identity_in(metadata: Object) -> Identity:
    """The identity in the `metadata_of` a pod."""
    return Identity(metadata.get("namespace") or "", metadata.get("name") or metadata.get("generateName") or "")


def labels_in(metadata: Object) -> Labels:
    """The labels in `metadata_of` a pod; InputError if they cannot be decoded."""
    labels: Object = metadata.get("labels") or {}
    if not _are_labels(labels):
        raise _undecodable(metadata)
    return as_labels(labels)


def _undecodable(metadata: Value) -> InputError:
    return InputError(*check(metadata, "meta.ObjectMeta", ("metadata",)))


def _is_text(value: Value) -> bool:
    return value is None or isinstance(value, str)


_are_labels = decodes("map[string]string")


def select(pod: Object, context: InjectionContext, identity: Identity | None = None) -> Selection:
    """The sets for a pod that need not have been type-checked; `identity` where its metadata does not say it.

    ImpossibleError if Kruise rejects the pod (an unknown operator, a revision that is not there), InputError
    where metadata or status cannot be decoded.
    """
    metadata = metadata_of(pod)
    identity = identity or identity_in(metadata)
    rules = context.rules_in(identity.namespace)
    unseen = rules.unseen
    if unseen is None and context.webhook.configured is not None:
        unseen = context.webhook.unseen_pod(labels_in(metadata))
    if unseen is not None:
        return _none_asked(rules, unseen.reason, unseen.message, unseen.path)._replace(is_seen=False)
    if skipped := _skipped(pod, metadata, rules, context):
        return _none_asked(rules, *skipped)
    labels = labels_in(metadata)
    matched = _matched(rules, identity.name, labels)
    incomplete = incomplete_sets(matched, pod) if context.release.skips_incomplete_pods else {}
    if incomplete:
        matched = [choice for choice in matched if choice.sidecarset.name not in incomplete]
    doubtful = [rule for rule in rules.doubtful if may_match(rule, labels)] if rules.doubtful else []
    key = (
        *[(id(choice.sidecarset), choice.probability) for choice in matched],
        *map(id, doubtful),
        *incomplete.values(),
    )
    selection = rules.selections.get(key)
    if selection is None:
        selection = rules.selections[key] = _selection(rules, matched, doubtful, incomplete)
    return selection


def _matched(rules: NamespaceRules, name: str, labels: Labels) -> list[RevisionChoice]:
    """The sets that match a pod, each as its revision has it."""
    matched = []
    namespace = rules.namespace
    for rule in rules.asked:  # a plain loop: this runs for every set at every pod
        try:
            if rule.matcher.mismatch(namespace, labels) is None:
                matched.append(rule.chooser.choose(namespace, name, labels))
        except ImpossibleError as problem:
            raise ImpossibleError(*naming(reference_to(rule.sidecarset), problem.findings)) from problem
    return matched


def incomplete_sets(matched: Iterable[RevisionChoice], pod: Object) -> dict[str, SetDecision]:
    """The sets that a pod lists as injected while it lacks one of their containers."""
    if not decodes("core.Pod")(pod):
        return {}  # it is refused as soon as anything is injected
    listed = injected_sets(value_at(pod, ("metadata", "annotations", INJECTED_LIST)))
    missing = {
        choice.sidecarset.name: _missing_containers(choice.sidecarset, pod)
        for choice in matched
        if choice.sidecarset.name in listed
    }
    return {name: decisions.incomplete(name, lacking) for name, lacking in missing.items() if lacking}


def _missing_containers(sidecarset: SidecarSet, pod: Object) -> set[str]:
    """The containers of a set that a pod lacks; a hot one also where the pod does not say which half of it works."""
    lists = [value_at(pod, ("spec", field)) or () for field in ("initContainers", "containers")]
    present = {name_of(container) for containers in lists for container in containers}
    working = read_working_containers(value_at(pod, ("metadata", "annotations", WORKING_CONTAINERS)))
    missing = set()
    for container in sidecarset.spec.get("containers", ()):
        if is_hot(container) and container["name"] not in working:
            missing.add(container["name"])
        missing.update(name for name in names_in_pods(container) if name not in present)
    return missing


def _selection(
    rules: NamespaceRules, matched: list[RevisionChoice], doubtful: list[SetRule], incomplete: dict[str, SetDecision]
) -> Selection:
    replaced = replaced_by_canaries(choice.sidecarset for choice in matched)
    by_name = {choice.sidecarset.name: decisions.injected(choice) for choice in matched}
    by_name |= {base: decisions.replaced(base, canary) for base, canary in replaced.items() if base in by_name}
    all_decisions = rules.unselected | rules.excluded | incomplete | by_name
    return Selection(
        applied=tuple(choice for choice in matched if choice.sidecarset.name not in replaced),
        matched=bool(matched),
        decisions=tuple(all_decisions[rule.sidecarset.name] for rule in rules.rules),
        findings=(
            *(rules.remarks if matched else ()),
            *map(rules.doubt, doubtful),
            *_draws(matched),
            *_odd_revisions(rules, matched),
        ),
        namespace=rules.namespace,
    )


def _draws(matched: Iterable[RevisionChoice]) -> Iterator[Finding]:
    """Notes on the sets for which a random draw chose between two revisions."""
    for choice in matched:
        if choice.probability is not None:
            chosen = "the latest" if choice.is_latest else choice.sidecarset.latest_revision or "the older one"
            odds = f"{choice.probability:.0%}"
            message = f"policy Partial chooses the older revision with probability {odds}; chosen here: {chosen}"
            path = ("spec", "injectionStrategy", "revision", "policy")
            yield from naming(reference_to(choice.sidecarset), [note(Reason.PARTIAL_DRAW, message, path)])


def _odd_revisions(rules: NamespaceRules, matched: Iterable[RevisionChoice]) -> Iterator[Finding]:
    """Findings about the older revisions that were chosen."""
    older = {choice.sidecarset.name for choice in matched if not choice.is_latest}
    for rule in rules.asked if older else ():
        if rule.sidecarset.name in older:
            yield from naming(reference_to(rule.sidecarset), rule.chooser.remarks())


def _skipped(
    pod: Object, metadata: Object, rules: NamespaceRules, context: InjectionContext
) -> tuple[Reason, str, Path] | None:
    """Why no set is considered for a pod."""
    if metadata.get("deletionTimestamp"):
        return Reason.POD_NOT_ACTIVE, "the pod is being deleted", ("metadata", "deletionTimestamp")
    phase = value_at(pod, ("status", "phase"))
    if phase in ("Succeeded", "Failed"):
        return Reason.POD_NOT_ACTIVE, f"the pod has {phase.lower()}", ("status", "phase")
    if is_left_alone(rules.namespace, context.release):
        message = f"{context.release.behavior} skips namespace {rules.namespace}"
        return Reason.SYSTEM_NAMESPACE, message, ("metadata", "namespace")
    return None


def _none_asked(rules: NamespaceRules, reason: Reason, message: str, path: Path) -> Selection:
    answers = tuple(SetDecision(rule.sidecarset.name, reason, message, path) for rule in rules.rules)
    skipped = SetDecision("", reason, message, path)
    return Selection((), matched=False, decisions=answers, skipped=skipped, namespace=rules.namespace)


def may_match(rule: SetRule, labels: Labels) -> bool:
    """Whether a set's selector matches a pod, whatever the namespace."""
    selector = rule.sidecarset.spec.get("selector")
    return not is_empty(selector) and matches(selector, labels)
