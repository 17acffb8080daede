"""What a push reads of the cluster before it changes anything, the pods aside."""

from collections.abc import Mapping, Sequence

from sidecarctl.api.label_selectors import Labels
from sidecarctl.facts.errors import input_error
from sidecarctl.facts.named_tuples import NamedTuple
from sidecarctl.facts.reasons import Reason
from sidecarctl.facts.values import Object
from sidecarctl.kubectl.identity import manager_image, version_in
from sidecarctl.kubectl.proxy.answers import Answer, NoAnswerError
from sidecarctl.kubectl.proxy.api_paths import disruption_budgets_path, namespace_path, pods_path, sidecarset_path
from sidecarctl.kubectl.proxy.client import Requests
from sidecarctl.push.checks.set_in_cluster import SIDECARSET_VERSIONS, SetView
from sidecarctl.push.plan.planned import PushPlan
from sidecarctl.sidecarset.matching import Matcher

SYSTEM = "/api/v1/namespaces/kube-system"
MANAGER = "/apis/apps/v1/namespaces/kruise-system/deployments/kruise-controller-manager"
_MOST_NAMESPACES = 8
"""Up to so many namespaces are watched one by one, by rights in these alone; more at once, by a right in all."""


class Survey(NamedTuple):
    """What was read; what is not known is empty.

    `uid` of the cluster, the version of `kruise` that runs there. `sets` by name; `version` is the API version of
    SidecarSet, empty where the cluster has none. `unreadable`: why a set could not be read.
    """

    uid: str
    why_no_uid: str
    kruise: str
    version: str
    sets: Mapping[str, SetView]
    unreadable: str
    namespaces: Mapping[str, Labels]
    disruption_budgets: Sequence[Object] = ()


def survey_of(client: Requests, plan: PushPlan, *, budgets: bool = False) -> Survey:
    """Read what the checks need, with `budgets` PodDisruptionBudgets too.

    InputError where the cluster does not answer, or not as an API server does.
    """
    try:
        system = _answer(client, SYSTEM)
        version, sets, unreadable = _sets(client, plan)
        return Survey(
            uid=system.body["metadata"]["uid"] if system.is_good else "",
            why_no_uid=system.message,
            kruise=_kruise(client),
            version=version,
            sets=sets,
            unreadable=unreadable,
            namespaces=_namespaces(client, plan),
            disruption_budgets=_disruption_budgets(client, plan) if budgets else (),
        )
    except NoAnswerError as fault:
        raise input_error(
            Reason.CLUSTER_UNREACHABLE, str(fault), hint="is this the right cluster? check --context"
        ) from None


def pod_collections(plan: PushPlan) -> list[str]:
    """The paths of the pods that are listed and watched: of the plan's namespaces, or of all when they are many."""
    if len(plan.namespaces) > _MOST_NAMESPACES:
        return [pods_path("")]
    return [pods_path(namespace) for namespace in plan.namespaces]


def namespaces_to_read(plan: PushPlan) -> list[str]:
    """The namespaces whose labels decide which pods a set has."""
    matchers = [Matcher(target.sidecar_set, {}) for target in plan.targets.values()]
    return [name for name in plan.namespaces if any(matcher.lacks_labels_of(name) for matcher in matchers)]


def accepted_paths(plan: PushPlan) -> list[str]:
    """Every path that a push asks for, `*` being any one segment."""
    pods = [pods_path(namespace) for namespace in plan.namespaces]
    return [
        SYSTEM,
        MANAGER,
        *(sidecarset_path(version, name) for version in SIDECARSET_VERSIONS for name in ("", *plan.targets)),
        *(namespace_path(name) for name in namespaces_to_read(plan)),
        *pod_collections(plan),
        *map(disruption_budgets_path, plan.namespaces),
        *(f"{path}/*" for path in pods),
        *(f"{path}/*/status" for path in pods),
    ]


def _answer(client: Requests, path: str) -> Answer:
    answer = client.get(path)
    if answer.status == 401:
        raise input_error(Reason.NOT_LOGGED_IN, answer.message, hint="does `kubectl get namespaces` work?")
    if answer.status >= 500 or answer.status == 429:
        raise NoAnswerError(f"the API server did not answer: {answer.message}")
    return answer


def _kruise(client: Requests) -> str:
    answer = _answer(client, MANAGER)
    try:
        return version_in(manager_image(answer.body)) if answer.is_good else ""
    except (KeyError, IndexError, TypeError):
        return ""


def _sets(client: Requests, plan: PushPlan) -> tuple[str, dict[str, SetView], str]:
    """The API version that the cluster serves, the sets of the plan, and why one of them could not be read."""
    views: dict[str, SetView] = {}
    for version in SIDECARSET_VERSIONS:
        is_served = False
        for name in plan.targets:
            answer = _answer(client, sidecarset_path(version, name))
            if not answer.is_good and answer.status != 404:
                return version, views, answer.message
            is_served |= answer.is_good or _is_about(answer.body, name)
            views[name] = SetView(name, answer.body if answer.is_good else None, plan.hashes[name])
        if is_served or not plan.targets:
            return version, views, ""
    return "", views, ""


def _disruption_budgets(client: Requests, plan: PushPlan) -> list[Object]:
    found: list[Object] = []
    for namespace in plan.namespaces:
        answer = _answer(client, disruption_budgets_path(namespace))
        if not answer.is_good:
            message = f"the PodDisruptionBudgets of {namespace} cannot be read: {answer.message}"
            raise input_error(Reason.FORBIDDEN, message, hint="ask for the right, or push without --respect-pdb")
        found += answer.body.get("items") or ()
    return found


def _is_about(status: Object, name: str) -> bool:
    """Whether a 404 says that an object does not exist, not that the API server lacks the resource."""
    return bool((status.get("details") or {}).get("name") == name)


def _namespaces(client: Requests, plan: PushPlan) -> dict[str, Labels]:
    found: dict[str, Labels] = {}
    for name in namespaces_to_read(plan):
        answer = _answer(client, namespace_path(name))
        if not answer.is_good:
            hint = "SidecarSets select namespaces by their labels: ask for the right to get them"
            raise input_error(Reason.FORBIDDEN, f"namespace {name} cannot be read: {answer.message}", hint=hint)
        found[name] = answer.body["metadata"].get("labels") or {}
    return found
