"""Over random clusters: whoever follows a printed remedy gets what it promises."""

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any

import pytest

from sidecarctl.engine.facts.errors import SidecarctlError
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod_webhook import admitted
from sidecarctl.engine.injection.selection import identity_of, select
from sidecarctl.engine.inputs.pods import PodInputs
from sidecarctl.engine.inputs.trimmed_pods import trimmed_pod
from sidecarctl.engine.releases.feature_gates import BUDGETS_FOR_UPDATES
from sidecarctl.engine.releases.profiles import PROFILES
from sidecarctl.engine.rollout.pod_budgets import budgets_among
from sidecarctl.engine.rollout.recreation import Recreation
from sidecarctl.engine.rollout.statuses import SetStatus, simulated_pods, statuses_of
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.pod_annotations import HASH, INPLACE_UPDATE_STATE, WORKING_CONTAINERS, read_hashes
from sidecarctl.engine.sidecarset.world import World
from sidecarctl.engine.validation.admission.spec import refusals
from sidecarctl.engine.validation.suppression import refuses
from sidecarctl.engine.validation.updates import refusal_of_change
from sidecarctl.features.explain.remedies import CHANGES, OF_STATES, TRY_FIRST
from sidecarctl.features.explain.rollout_states import RolloutOfSet, RolloutState
from tests.engine.rollout.manifests import state_of as noted
from tests.features.drift.drifting import injected, revision_of, running, world

RECREATE = ("recreate it", "recreate the pod")
WEB: Object = {"matchLabels": {"app": "web"}}
EMPTY = "empty:1"


class Cluster:
    """SidecarSet `logs`, its older version, which pods have, and the pods."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.release = PROFILES[random.choice(["1.6", "1.8", "1.9", "master"])]
        self.hot = random.random() < 0.2
        self.native = not self.hot and self.release.name != "1.6" and random.random() < 0.1
        self.old = self.sidecarset("1")
        changed = self.sidecarset("2", **({"command": ["run"]} if random.random() < 0.5 else {}))
        self.new = changed if random.random() < 0.9 else deepcopy(self.old)
        self.revision = revision_of(self.old)
        self.more = [self.canary()] if self.release.canary_sets and random.random() < 0.15 else []
        self._choose_strategies(self.new["spec"])
        self.budget = self.unavailable_budget(random.choice([0, 1])) if random.random() < 0.15 else None
        self.pods = [self.pod(index) for index in range(random.randint(1, 4))]

    def sidecarset(self, tag: str, **members: Any) -> Object:
        container: Object = {"name": "agent", "image": f"agent:{tag}", **members}
        if self.hot:
            container["upgradeStrategy"] = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": EMPTY}
        field = "initContainers" if self.native else "containers"
        container |= {"restartPolicy": "Always"} if self.native else {}
        return {
            "apiVersion": "apps.kruise.io/v1alpha1",
            "kind": "SidecarSet",
            "metadata": {"name": "logs"},
            "spec": {"selector": WEB, field: [container], "updateStrategy": {"type": self.type}},
        }

    @property
    def type(self) -> str:
        return "NotUpdate" if self.native else "RollingUpdate"

    def canary(self) -> Object:
        made = self.sidecarset("3")
        names = {"sidecarset-canary": "true", "sidecarset-base": "logs"}
        annotations = {f"apps.kruise.io/{name}": value for name, value in names.items()}
        selector = {"matchLabels": {"app": "web", "canary": "yes"}}
        spec = {**made["spec"], "selector": selector, "updateStrategy": {"type": "NotUpdate"}}
        return {**made, "metadata": {"name": "logs-canary", "annotations": annotations}, "spec": spec}

    def unavailable_budget(self, most: int | str) -> Object:
        total = {f"{prefix}kruise.io/protect-total-replicas": "4" for prefix in ("", "pub.")}
        metadata = {"name": "b", "namespace": "shop", "annotations": total}
        kind = {"apiVersion": "policy.kruise.io/v1alpha1", "kind": "PodUnavailableBudget"}
        return {**kind, "metadata": metadata, "spec": {"selector": WEB, "maxUnavailable": most}}

    def _choose_strategies(self, spec: Object) -> None:
        random, strategy = self.random, spec["updateStrategy"]
        if random.random() < 0.2:
            strategy["type"] = "NotUpdate"
        if random.random() < 0.2:
            strategy["paused"] = True
        if random.random() < 0.3:
            strategy["partition"] = random.choice([1, 2, "50%", "100%"])
        if random.random() < 0.3:
            strategy["selector"] = {"matchLabels": {"canary": "yes"}}
        injection: Object = {"paused": True} if random.random() < 0.2 else {}
        if random.random() < 0.35:
            policy = {"policy": random.choice(["Always", "Partial"])} if self.release.partial_policy else {}
            injection["revision"] = {"revisionName": self.revision["metadata"]["name"], **policy}
        if injection:
            spec["injectionStrategy"] = injection

    def pod(self, index: int) -> Object:
        random = self.random
        labels = {"app": "web"} | ({"canary": "yes"} if random.random() < 0.4 else {})
        namespace = "kube-system" if random.random() < 0.1 else "shop"
        bare: Object = {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"web-{index}", "namespace": namespace, "labels": labels},
            "spec": {"containers": [{"name": "app", "image": "app:1"}]},
        }
        if random.random() < 0.15:
            return running(bare)
        is_canary = self.more and "canary" in labels and random.random() < 0.5
        version = deepcopy(self.more[0] if is_canary else random.choice([self.old, self.new]))
        version["spec"].pop("injectionStrategy", None)
        made = injected({**bare, "metadata": {**bare["metadata"], "namespace": "shop"}}, version)
        made["metadata"]["namespace"] = namespace
        if random.random() < 0.15:
            made["metadata"]["annotations"].pop("kruise.io/sidecarset-hash-without-image")
        if self.hot and random.random() < 0.4:
            for item in (*made["spec"]["containers"], *made["status"]["containerStatuses"]):
                item["image"] = item["image"].replace(EMPTY, "agent:1")
        if random.random() < 0.25:
            made["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
            random.choice(made["status"]["containerStatuses"])["ready"] = False
        if random.random() < 0.3:
            self._make_odd(made)
        return made

    def _make_odd(self, pod: Object) -> None:
        """A pod that is static, ends, or has records or containers that are not as Kruise left them."""
        metadata = pod["metadata"]
        match self.random.choice(["static", "ends", "unreadable", "missing", "in flight", "in flight"]):
            case "static":
                metadata["annotations"]["kubernetes.io/config.mirror"] = "m"
            case "ends":
                metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
                owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "r", "uid": "u", "controller": True}
                metadata["ownerReferences"] = [owner]
            case "unreadable" if self.hot:
                metadata["annotations"][WORKING_CONTAINERS] = "{"
            case "missing" if not self.native:
                pod["spec"]["containers"] = [item for item in pod["spec"]["containers"] if item["name"] == "app"]
            case "in flight" if not (self.hot or self.native):
                metadata["annotations"][INPLACE_UPDATE_STATE] = noted({"agent": "sha256:agent:0"})
                [status] = [item for item in pod["status"]["containerStatuses"] if item["name"] == "agent"]
                status |= {"image": "agent:0", "imageID": "sha256:agent:0"}

    def world(self) -> World:
        return world([self.new, *self.more, self.revision, *filter(None, [self.budget])], self.release)


def state_of(made: World, cluster: Cluster, index: int) -> tuple[SetStatus, RolloutState | None]:
    pods = simulated_pods(trimmed_pod(deepcopy(pod), "default") for pod in cluster.pods)
    gates = frozenset({BUDGETS_FOR_UPDATES})
    protection = budgets_among(gates, made.release, PodInputs(world=made)) if made.budgets else None
    status = next(
        each for each in statuses_of(made, pods, ("logs",), protection)[0] if each.sidecarset.name == "logs"
    )
    pod = pods[index]
    advice = Recreation(made).of("logs")(pod)
    return status, RolloutOfSet(status, made).state_of((pod.name.namespace, pod.name.name), pod.labels, advice)


def hash_if_recreated(made: World, pod: Object) -> str | None:
    """The hash of logs that a pod in its place records, None if it is rejected: the whole webhook is computed."""
    context = InjectionContext(
        made.sidecarsets, namespaces=made.namespaces, revisions=made.revisions, webhook=made.webhook
    )
    identity = {key: pod["metadata"][key] for key in ("namespace", "name", "labels")}
    app = [item for item in pod["spec"]["containers"] if item["name"] == "app"]
    bare = {**pod, "metadata": identity, "spec": {"containers": app}}
    try:
        found = admitted(bare, select(bare, context, identity_of(pod)), context).pod
    except SidecarctlError:
        return None
    annotations = found["metadata"].get("annotations") or {}
    return read_hashes(annotations.get(HASH)).recorded("logs")


def is_current_if_recreated(made: World, pod: Object) -> bool:
    """Whether a pod in its place has the current version of logs."""
    return hash_if_recreated(made, pod) == made.by_name["logs"].hash


def mended(cluster: Cluster) -> Cluster:
    """The cluster once all containers run what their specs say, and are ready."""
    after = deepcopy(cluster)
    after.pods = [running(pod) for pod in after.pods]
    return after


def changed_as_said(cluster: Cluster, remedy: str) -> tuple[Cluster, list[str]]:
    """The cluster after all changes of the SidecarSet that a remedy names, and the states that they end."""
    after = deepcopy(cluster)
    ended = [state for state in CHANGES if OF_STATES[state][0] in remedy]
    strategy = after.new["spec"]["updateStrategy"]
    for state in ended:
        strategy |= CHANGES[state]
    after.new["spec"]["updateStrategy"] = {key: value for key, value in strategy.items() if value is not None}
    return after, ended


def unpinned(cluster: Cluster, remedy: str) -> Iterator[Cluster]:
    """The cluster after each change of the pin that a remedy names."""
    for words in ("write policy: Partial", "or remove it", ": remove it"):
        if words in remedy:
            after = deepcopy(cluster)
            revision = after.new["spec"]["injectionStrategy"]["revision"]
            revision["policy"] = "Partial"
            if "remove" in words:
                del after.new["spec"]["injectionStrategy"]["revision"]
            yield after


def accepts(before: Cluster, after: Cluster) -> bool:
    """Whether Kruise accepts the update of logs."""
    old, new = before.world(), after.world()
    return refusal_of_change(old.by_name["logs"], new.by_name["logs"], old) is None


def check(cluster: Cluster, index: int, reached: Counter[str]) -> None:
    made, pod = cluster.world(), cluster.pods[index]
    status, state = state_of(made, cluster, index)
    if state is None:
        return
    reached[state.state] += 1
    said, remedy = f"{state.why}; {state.remedy}", state.remedy
    name = (pod["metadata"]["namespace"], pod["metadata"]["name"])
    own = next((each.recreation for each in status.pods if each.pod == name), "")
    is_sure = "of new pods get the current version" not in f"{said}{own}"
    advised = any(words in f"{said}{own}" for words in RECREATE)
    if advised and is_sure:
        assert is_current_if_recreated(made, pod), said
        reached["recreated"] += 1
    injection = cluster.new["spec"].get("injectionStrategy") or {}
    if injection.get("paused") or pod["metadata"]["namespace"] == "kube-system":
        assert not advised, said
    if state.state == "StaticPod":
        assert not advised, said
    if "a pod that replaces it has the current version" in remedy:
        assert is_current_if_recreated(made, pod), said
    check_pods_and_budgets(cluster, index, state, reached)
    if TRY_FIRST in remedy:
        check_canary(cluster, pod, reached)
    for after in unpinned(cluster, remedy):
        assert accepts(cluster, after)
        assert is_current_if_recreated(after.world(), pod), said
        reached["unpinned"] += 1
    after, ended = changed_as_said(cluster, remedy)
    if ended:
        assert accepts(cluster, after), said
        _, then = state_of(after.world(), after, index)
        assert then is not None
        assert then.is_next or then.state in ("Waiting", "WaitingForBudget", "Busy", "Resetting", "Updated"), (
            said,
            then,
        )
        reached["changed"] += 1
    if remedy == "":
        assert state.state in (
            "Updated",
            "PodNotActive",
            "NotSeenByWebhook",
            "InjectionPaused",
            "InjectedByCanary",
        ), state


def check_pods_and_budgets(cluster: Cluster, index: int, state: RolloutState, reached: Counter[str]) -> None:
    """What is promised once the pods, or their budget, are as a remedy asks for."""
    if "must show" in state.remedy or "must become ready" in state.remedy:
        after = mended(cluster)
        _, then = state_of(after.world(), after, index)
        assert then is not None
        assert then.state not in ("Updating", "Busy", "NotReady"), (state, then)
        reached["mended"] += 1
    if "lower minAvailable of the PodUnavailableBudget" in state.remedy:
        after = deepcopy(cluster)
        after.budget = cluster.unavailable_budget("100%")
        _, then = state_of(after.world(), after, index)
        assert then is not None
        assert then.state != "WaitingForBudget", (state, then)
        reached["given room"] += 1


def check_canary(cluster: Cluster, pod: Object, reached: Counter[str]) -> None:
    """With the older version pinned and a selector, only the pods that it selects get the current version."""
    after = deepcopy(cluster)
    pin = {"revisionName": cluster.revision["metadata"]["name"], "policy": "Partial"}
    after.new["spec"].setdefault("injectionStrategy", {})["revision"] = pin
    after.new["spec"]["updateStrategy"]["selector"] = {"matchLabels": {"canary": "yes"}}
    made = after.world()
    assert accepts(cluster, after)
    for labels, wanted in (
        ({"canary": "yes"}, made.by_name["logs"].hash),
        ({"canary": "no"}, admit(cluster.old).hash),
    ):
        like = {**pod, "metadata": {**pod["metadata"], "labels": {"app": "web", **labels}}}
        is_replaced = bool(cluster.more) and labels == {"canary": "yes"}
        assert hash_if_recreated(made, like) == wanted or is_replaced
    reached["tried first"] += 1


MAY_FOLLOW = ("Waiting", "WaitingForBudget", "Busy", "Resetting", "Updated")
STATES = (
    "Updated",
    "Resetting",
    "NotReady",
    "Waiting",
    "HeldByPartition",
    "HeldBySelector",
    "Paused",
    "NotUpdate",
    "NotUpgradable",
    "NeverInjected",
    "InjectionPaused",
    "NotSeenByWebhook",
    "Updating",
    "Busy",
    "StaticPod",
    "PodNotActive",
    "SidecarMissing",
    "AnnotationUnreadable",
    "InjectedByCanary",
    "WaitingForBudget",
    "given room",
    "tried first",
    "mended",
    "recreated",
    "unpinned",
    "changed",
)


@pytest.mark.parametrize(
    ("first", "number"), [(0, 100), pytest.param(100, 2_000, marks=pytest.mark.slow)], ids=["few", "many"]
)
def test_every_remedy_keeps_its_promise(first: int, number: int) -> None:
    reached: Counter[str] = Counter()
    for seed in range(first, first + number):
        cluster = Cluster(Random(seed))  # noqa: S311 - the same cluster each time
        if any(map(refuses, refusals(admit(cluster.new, cluster.release), cluster.world(), {}))):
            continue
        for index in range(len(cluster.pods)):
            check(cluster, index, reached)
    assert set(STATES) <= reached.keys() or number < 1_000, reached
