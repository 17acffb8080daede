"""What a push needs in the cluster: the namespaces that it watches, and its rights.

It watches the pods of every namespace in which its SidecarSets match pods now, or may later. It asks for its rights
before the first patch, and can print the minimal RBAC roles as manifests.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from sidecarctl.engine.api.label_selectors import is_empty, malformation
from sidecarctl.engine.facts.findings import Finding, Severity, error, note, warning
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, natural
from sidecarctl.engine.kubectl.api_requests import (
    KRUISE_NAMESPACE,
    NAMESPACES,
    Answer,
    disruption_budgets_path,
    pods_path,
)
from sidecarctl.engine.kubectl.client import Requests
from sidecarctl.engine.kubectl.roles import IDENTITY, MANAGER_VERSION, role, rule
from sidecarctl.engine.sidecarset.sets import GROUP, Matcher, SidecarSet, bound_namespaces
from sidecarctl.features.push.plan import PushPlan

_FORBIDDEN = (401, 403)
_RISK = "pods elsewhere are not counted, so more may be unavailable at once than maxUnavailable allows"


class PushScope(NamedTuple):
    """The pods that are watched.

    `namespaces`: their namespaces, none for all. `selector`: the labelSelector that the server filters them by.
    `by_labels`: labels of Namespaces decide which ones match, so Namespaces are watched too. `is_partial`: only the
    plan's namespaces are watched, although the SidecarSets may match pods in others. `budgets`: the collections of
    PodDisruptionBudgets, where they count.
    """

    namespaces: tuple[str, ...]
    selector: str
    by_labels: bool
    is_partial: bool = False
    budgets: tuple[str, ...] = ()

    @property
    def paths(self) -> list[str]:
        """The collections of pods."""
        return [pods_path(namespace) for namespace in self.namespaces or ("",)]

    @property
    def query(self) -> Mapping[str, str]:
        """What limits them."""
        return {"labelSelector": self.selector} if self.selector else {}


def push_scope(plan: PushPlan, live: Sequence[SidecarSet] = (), *, budgets: bool = False) -> PushScope:
    """Everything that counts; `live` are the SidecarSets in the cluster, whose selectors may differ.

    `budgets`: including pods of PodDisruptionBudgets, which have their own selectors.
    """
    sets = [target.sidecar_set for target in plan.targets.values()]
    bound = [bound_namespaces(item) for item in sets]
    known = {name for names in bound if names is not None for name in names}
    return PushScope(
        namespaces=() if None in bound else tuple(sorted({*known, *plan.namespaces})),
        selector="" if budgets else _selector([*sets, *live]),
        by_labels=any(Matcher(item, {}).lacks_labels_of("") for item in [*sets, *live]),
        budgets=tuple(map(disruption_budgets_path, plan.namespaces)) if budgets else (),
    )


def readable_scope(
    client: Requests, plan: PushPlan, live: Sequence[SidecarSet] = (), *, accepts_part: bool, budgets: bool
) -> tuple[PushScope, list[Finding]]:
    """The scope that may be read, and a finding if it is only a part: an error, unless `accepts_part`."""
    scope = push_scope(plan, live, budgets=budgets)
    paths = [*scope.paths, *([NAMESPACES] if scope.by_labels else [])]
    severity = Severity.WARNING if accepts_part else Severity.ERROR
    for path in paths:
        answer = client.get(path, {"limit": "1"})
        if answer.status in _FORBIDDEN:
            message = f"{_sets(plan)} may match pods in namespaces that cannot be read: {answer.message}; {_RISK}"
            hint = (
                "" if accepts_part else "ask for the rights of --print-rbac; --accept-partial-view continues anyway"
            )
            part = scope._replace(namespaces=tuple(plan.namespaces), is_partial=True)
            return part, [Finding(severity, Reason.PARTIAL_VIEW, message, hint=hint)]
    return scope, []


def of_partial_plan(plan: PushPlan, *, accepts_part: bool) -> Iterator[Finding]:
    """Findings if the plan was made from a partial view: its waves may be larger than Kruise's."""
    severity = Severity.WARNING if accepts_part else Severity.ERROR
    hint = "" if accepts_part else "make the plan from all namespaces, or use --accept-partial-view"
    for why in plan.partial_view:
        message = f"the plan was made from a partial view: {why}"
        yield Finding(severity, Reason.PARTIAL_VIEW, message, hint=hint)


def _sets(plan: PushPlan) -> str:
    return f"SidecarSet{'s' * (len(plan.targets) > 1)} {', '.join(sorted(plan.targets, key=natural))}"


def _selector(sets: Sequence[SidecarSet]) -> str:
    """The selector that all SidecarSets share; empty if they differ."""
    texts = {_selector_text(item.spec.get("selector") or {}) for item in sets}
    return texts.pop() if len(texts) == 1 else ""


def _selector_text(selector: Object) -> str:
    if is_empty(selector) or malformation(selector):
        return ""
    terms = [f"{key}={value or ''}" for key, value in (selector.get("matchLabels") or {}).items()]
    return ",".join([*terms, *map(_requirement, selector.get("matchExpressions") or ())])


def _requirement(expression: Object) -> str:
    key, values = expression["key"], ",".join(expression.get("values") or ())
    match expression["operator"]:
        case "Exists":
            return str(key)
        case "DoesNotExist":
            return f"!{key}"
        case "In":
            return f"{key} in ({values})"
    return f"{key} notin ({values})"


_NAME = "sidecarctl-push"
REVIEW = "authorization.k8s.io/v1"
_WATCH = ("list", "watch")
ASK_FOR_RIGHTS = "push --print-rbac prints the rights that it needs"

AskForRights: TypeAlias = Callable[[Sequence[Object]], Sequence[Answer]]
"""Sends SelfSubjectAccessReviews, and returns the answers in the same order."""


class Right(NamedTuple):
    """One verb on one resource; an empty namespace is that of cluster-wide resources, or all."""

    verb: str
    resource: str
    namespace: str = ""
    group: str = ""
    name: str = ""

    def review(self) -> Object:
        """The SelfSubjectAccessReview for this right."""
        resource, _, subresource = self.resource.partition("/")
        given = {**self._asdict(), "resource": resource, "subresource": subresource}
        attributes = {key: value for key, value in given.items() if value}
        return {"apiVersion": REVIEW, "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": attributes}}

    def __str__(self) -> str:
        where = f'in the namespace "{self.namespace}"' if self.namespace else "at the cluster scope"
        return f'{self.verb} resource "{self.resource}" in API group "{self.group}" {where}'


def needed_rights(plan: PushPlan, scope: PushScope, *, conditions: bool, budgets: bool) -> Iterator[Right]:
    """All rights, except those for the reads of the checks themselves."""
    for verb in _WATCH:
        yield from (Right(verb, "sidecarsets", group=GROUP, name=name) for name in sorted(plan.targets, key=natural))
        yield from (Right(verb, "pods", namespace) for namespace in scope.namespaces or ("",))
        if scope.by_labels and not scope.is_partial:
            yield Right(verb, "namespaces")
    for namespace in sorted({namespace for namespace, _ in (step.pod for step in plan.steps)}, key=natural):
        yield Right("patch", "pods", namespace)
        yield Right("get", "pods", namespace)
        if conditions:
            yield Right("patch", "pods/status", namespace)
        if budgets:
            yield from (Right(verb, "poddisruptionbudgets", namespace, "policy") for verb in _WATCH)


def missing_rights(rights: Iterable[Right], ask: AskForRights, *, forced: bool) -> Iterator[Finding]:
    """The rights that the user lacks: errors, except for reading one pod, which only an unanswered patch needs.

    `forced`: SidecarSets are not watched.
    """
    asked = [right for right in rights if not (forced and right.resource == "sidecarsets")]
    for right, answer in zip(asked, ask([right.review() for right in asked]), strict=True):
        status = answer.body.get("status") or {}
        if answer.is_passing:
            message = f"whether you may {right} is not known: {answer.message}"
            yield error(Reason.CLUSTER_UNREACHABLE, message, hint="try again")
        elif not answer.is_good:
            yield note(Reason.FORBIDDEN, f"whether you may {right} cannot be asked: {answer.message}")
            return
        elif not status.get("allowed"):
            why = f": {status['reason']}" if status.get("reason") else ""
            if right.verb == "get":
                message = f"you cannot {right}{why}; a patch that is not answered clearly then stops the push"
                yield warning(Reason.FORBIDDEN, message)
            else:
                yield error(Reason.FORBIDDEN, f"you cannot {right}{why}", hint=ASK_FOR_RIGHTS)


def roles_for(plan: PushPlan, *, conditions: bool, budgets: bool) -> Iterator[Object]:
    """A ClusterRole, a Role in each of the plan's namespaces, one that lets Kruise's version be read.

    `conditions`: they are written too; `budgets`: PodDisruptionBudgets are read.
    """
    watched = push_scope(plan).namespaces
    yield role(_NAME, "", [*_cluster_rules(plan)])
    for namespace in plan.namespaces:
        yield role(_NAME, namespace, [*_namespace_rules(conditions=conditions, budgets=budgets)])
    for namespace in sorted(set(watched) - set(plan.namespaces), key=natural):
        yield role(_NAME, namespace, [rule("", "pods", *_WATCH)])
    yield role(_NAME, KRUISE_NAMESPACE, [MANAGER_VERSION])


def _cluster_rules(plan: PushPlan) -> Iterator[Object]:
    yield rule(GROUP, "sidecarsets", *_WATCH, names=sorted(plan.targets, key=natural))
    scope = push_scope(plan)
    yield IDENTITY
    if scope.by_labels:
        yield rule("", "namespaces", *_WATCH)
    if not scope.namespaces:  # the SidecarSets may match pods in any
        yield rule("", "pods", *_WATCH)


def _namespace_rules(*, conditions: bool, budgets: bool) -> Iterator[Object]:
    yield rule("", "pods", "get", *_WATCH, "patch")
    if conditions:
        yield rule("", "pods/status", "patch")
    if budgets:
        yield rule("policy", "poddisruptionbudgets", *_WATCH)
