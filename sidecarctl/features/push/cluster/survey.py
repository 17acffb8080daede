"""What a push reads from the cluster before it changes anything, except pods."""

from collections.abc import Mapping
from typing import NamedTuple

from sidecarctl.engine.api.label_selectors import Labels
from sidecarctl.engine.facts.errors import InputError, SidecarctlError
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.kubectl.api_requests import (
    MANAGER,
    NAMESPACES,
    SIDECARSET_VERSIONS,
    SYSTEM,
    WEBHOOKS,
    Answer,
    Moment,
    disruption_budgets_path,
    namespace_path,
    pods_path,
    sidecarsets_path,
)
from sidecarctl.engine.kubectl.cluster import LiveCluster, kruise_of, uid_of
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import Matcher, SidecarSet
from sidecarctl.engine.sidecarset.webhook_scope import WebhookScope, pod_webhook_of
from sidecarctl.features.push.cluster.scope import push_scope
from sidecarctl.features.push.plan import PushPlan


class SetView(NamedTuple):
    """A set in the cluster; None if it does not exist. `hashes` are those that the plan accepts."""

    name: str
    manifest: Object | None
    hashes: frozenset[str]


def objection(view: SetView, release: Release) -> str:
    """Why Kruise would interfere with a push of the set; empty if it would not."""
    if view.manifest is None:
        return ""
    if (view.manifest.get("metadata") or {}).get("deletionTimestamp"):
        return "it is being deleted"
    strategy = (view.manifest.get("spec") or {}).get("updateStrategy") or {}
    if not (strategy.get("paused") or strategy.get("type") == "NotUpdate"):
        return "it is neither paused nor of type NotUpdate, so Kruise updates its pods itself"
    try:
        found = admit(view.manifest, release).hash
    except SidecarctlError as fault:
        return f"it cannot be read: {fault}"
    if found not in view.hashes:
        expected = " or ".join(sorted(view.hashes))
        return f"its hash is {found}, the plan has {expected}: Kruise would update pods to it when it is unpaused"
    return ""


def brake_of(view: SetView, release: Release) -> SidecarSet | None:
    """The SidecarSet in the cluster, whose selectors and strategy hold too; None if there is none to read."""
    try:
        return admit(view.manifest, release) if view.manifest else None
    except SidecarctlError:
        return None


def change(before: SetView, after: SetView, release: Release) -> str:
    """Why a change of a set must stop the push; empty if it need not."""
    if before.manifest is None:
        return objection(after, release) and f"it was created: {objection(after, release)}"
    if after.manifest is None:
        return "it was deleted"
    if _uid(before.manifest) != _uid(after.manifest):
        return "it was deleted and created again"
    return objection(after, release)


def _uid(manifest: Object) -> str:
    return (manifest.get("metadata") or {}).get("uid") or ""


class Survey(NamedTuple):
    """What was read; unknown values are empty.

    `uid` of the cluster, the version of `kruise` that runs there. `sets` by name; `version` is the API version of
    SidecarSet, empty if the cluster has none. `unreadable`: why a set could not be read. `namespaces`: the labels
    that count, once they are known.
    """

    uid: str
    why_no_uid: str
    kruise: str
    version: str
    sets: Mapping[str, SetView]
    unreadable: str
    namespaces: Mapping[str, Labels] = {}


def survey_of(cluster: LiveCluster, plan: PushPlan) -> Survey:
    """Read what the checks need.

    InputError if the cluster does not answer like an API server.
    """
    uid = uid_of(cluster)
    version, sets, unreadable = _sets(cluster, plan)
    why_no_uid = uid.why_not.message if uid.why_not else ""
    return Survey(uid.text, why_no_uid, kruise_of(cluster).text, version, sets, unreadable)


def _namespaces_to_read(plan: PushPlan) -> list[str]:
    """The namespaces of the plan whose labels decide which pods a set matches."""
    matchers = [Matcher(target.sidecar_set, {}) for target in plan.targets.values()]
    return [name for name in plan.namespaces if any(matcher.lacks_labels_of(name) for matcher in matchers)]


def paths_of_push(plan: PushPlan) -> list[str]:
    """Every path that a push asks for, `*` being any one segment."""
    pods = [pods_path(namespace) for namespace in plan.namespaces]
    return [
        SYSTEM,
        NAMESPACES,
        MANAGER,
        WEBHOOKS,
        *map(sidecarsets_path, SIDECARSET_VERSIONS),
        *(namespace_path(name) for name in _namespaces_to_read(plan)),
        *push_scope(plan).paths,
        *pods,
        *map(disruption_budgets_path, plan.namespaces),
        *(f"{path}/*" for path in pods),
        *(f"{path}/*/status" for path in pods),
    ]


def _sets(cluster: LiveCluster, plan: PushPlan) -> tuple[str, dict[str, SetView], str]:
    """The API version that the cluster serves, the sets of the plan, and why a set could not be read."""
    views = {name: SetView(name, None, plan.hashes[name]) for name in plan.targets}
    version, moment = SIDECARSET_VERSIONS[0], Moment()
    for name, view in views.items():
        try:
            [(path, items)] = cluster.sidecarsets(_items, name, moment)
        except InputError as fault:
            [found] = fault.findings
            if found.reason is Reason.RESOURCE_NOT_FOUND:
                return "", views, ""
            if found.reason is Reason.FORBIDDEN:
                return version, {}, found.message
            raise
        version = path.split("/")[3]
        views[name] = view._replace(manifest=items[0] if items else None)
    return version, views, ""


def webhook_of(cluster: LiveCluster) -> WebhookScope:
    """Which pods Kruise's webhook sees; the default if its configuration cannot be read (a push does not need it)."""
    try:
        [(_, items)] = cluster.webhook(_items)
    except InputError:
        return WebhookScope()
    return WebhookScope(configured=pod_webhook_of(items[0]) if items else None)


def _items(path: str, page: Answer) -> tuple[str, list[Object]]:
    return path, page.body.get("items") or []


def labels_of_namespaces(cluster: LiveCluster, plan: PushPlan) -> dict[str, Labels]:
    """The labels of the plan's namespaces that matter to its sets, if Namespaces cannot be watched.

    InputError if one of them cannot be read.
    """
    return {
        name: cluster.object(namespace_path(name))["metadata"].get("labels") or {}
        for name in _namespaces_to_read(plan)
    }
