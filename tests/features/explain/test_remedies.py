"""Each remedy that a command prints is applied to the input, and the command asked again: the answer is another."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from sidecarctl.features.explain import remedies
from tests.engine.rollout.manifests import pod
from tests.features.explain.remedied_pods import (
    Edit,
    Inputs,
    answer,
    both,
    canary,
    ended,
    go_on,
    inputs,
    label,
    label_namespace,
    label_pods,
    more,
    move,
    named,
    options,
    recreate,
    remove_control_plane,
    repair,
    shows,
    spec,
    stored,
    strategy,
    unpause_injection,
    update,
    webhook,
    write,
)
from tests.features.explain.test_rollout_remedies import MADE

BARE = {"kruise.io/sidecarset-injected-list": None}
NOT_YET = {"kruise.io/sidecarset-hash": None, "kruise.io/sidecarset-hash-without-image": None, **BARE}
UPDATED = {"agent": "agent:2", "app": "app:1"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


PAUSED: dict[str, Any] = {"injectionStrategy": {"paused": True}}
TEAM: dict[str, Any] = {"namespaceSelector": {"matchLabels": {"team": "a"}}}
TIERS: Object = {"matchLabels": {"app": "web", "tier": "front"}}
ELSEWHERE = webhook(namespaceSelector={"matchLabels": {"team": "a"}})
FEW = webhook(objectSelector={"matchLabels": {"inject": "yes"}})
OFF = webhook(on=False)
ASKS: Object = {"injectionStrategy": {"revision": {"revisionName": "logs-9"}}}
PERCENT: Object = {
    "injectionStrategy": {"revision": {"revisionName": "logs-1", "policy": "Partial"}},
    "updateStrategy": {"partition": "x"},
}
ZONE = "topology.kubernetes.io/zone"
UNRECORDED = {"kruise.io/sidecarset-hash-without-image": None}
INCOMPLETE = {"kruise.io/sidecarset-injected-list": "logs"}
CASES: list[tuple[str, Inputs, str, Edit, set[str]]] = [
    (
        "InjectionPaused",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **PAUSED),
        "set spec.injectionStrategy.paused to false; only pods created after that have its sidecars",
        both(unpause_injection, recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", **PAUSED),
        "set spec.injectionStrategy.paused to false; change the label app of the pod",
        both(unpause_injection, label_pods, recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", **PAUSED, **TEAM),
        "false; create the pod in a selected namespace, label its Namespace, or change spec.namespaceSelector",
        both(unpause_injection, label_namespace, label_pods, recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **TEAM),
        "label its Namespace",
        both(label_namespace, recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1"),
        "change the label app of the pod",
        both(label_pods, recreate),
        {"Updated"},
    ),
    (
        "NamespaceControlPlaneLabel",
        inputs(pod("p0", annotations=NOT_YET), tag="1", labels={"control-plane": "openkruise"}),
        "remove the label control-plane from the Namespace; only pods created after that have its sidecars",
        both(remove_control_plane, recreate),
        {"Updated"},
    ),
    ("NeverInjected", inputs(pod("p0", annotations=NOT_YET), tag="1"), "recreate the pod", recreate, {"Updated"}),
    (
        "SidecarMissing",
        inputs(pod("p0", images={"app": "app:1"}), tag="1"),
        "recreate the pod",
        recreate,
        {"Updated"},
    ),
    (
        "HeldByPartition",
        inputs(pod("p0"), updateStrategy={"partition": 1}),
        "lower spec.updateStrategy.partition",
        strategy(partition=0),
        {"Waiting"},
    ),
    (
        "HeldBySelector",
        inputs(pod("p0"), updateStrategy={"selector": {"matchLabels": {"canary": "yes"}}}),
        "make spec.updateStrategy.selector match the pod's labels",
        strategy(selector={"matchLabels": {"app": "web"}}),
        {"Waiting"},
    ),
    (
        "Paused",
        inputs(pod("p0"), updateStrategy={"paused": True}),
        "paused to false",
        strategy(paused=False),
        {"Waiting"},
    ),
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate"}),
        "set spec.updateStrategy.type to RollingUpdate",
        strategy(type="RollingUpdate"),
        {"Waiting"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0"), containers=[{"name": "agent", "image": "agent:2", "command": ["x"]}]),
        "revert the changed fields",
        lambda given: spec(given)["containers"][0].pop("command"),
        {"Waiting"},
    ),
    # what the decision is about, alternative by alternative
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector=TIERS),
        "change the label tier of the pod or pod template, or spec.selector.matchLabels.tier; then recreate the pod",
        both(recreate, label(tier="front")),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", labels={"app": "api"}, annotations=NOT_YET), tag="1", selector=TIERS),
        "change the labels app, tier of the pod or pod template, or spec.selector;",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={}),
        "write spec.selector: an empty one matches no pod",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={"matchLabels": {"app": "web", ZONE: "z"}}),
        f"select the pods by labels that they are created with, not by {ZONE}",
        both(write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "InjectionPaused",
        inputs(pod("p0", annotations=NOT_YET), tag="1", selector={"matchLabels": {ZONE: "z"}}, **PAUSED),
        f"paused to false; select the pods by labels that they are created with, not by {ZONE}",
        both(unpause_injection, write(selector={"matchLabels": {"app": "web"}}), recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", namespace="other"),
        "create the pod in namespace other, or change spec.namespace",
        move("other"),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", namespace="other"),
        "change spec.namespace",
        both(write(namespace="shop"), recreate),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(
            pod("p0", annotations=NOT_YET),
            tag="1",
            namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "other"}},
        ),
        "create the pod in a selected namespace, or change spec.namespaceSelector.matchLabels",
        move("other"),
        {"Updated"},
    ),
    (
        "NamespaceUnknown",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "lab"), tag="1", **TEAM),
        f"add its Namespace to the inputs ({DUMP}): if it lacks the label team, label it, or change spec.namespace",
        both(
            recreate,
            move("lab"),
            more({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lab", "labels": {"team": "a"}}}),
        ),
        {"Updated"},
    ),
    (
        "NamespaceNotSelected",
        inputs(pod("p0", annotations=NOT_YET), tag="1", **TEAM),
        "or change spec.namespaceSelector.matchLabels.team",
        both(write(namespaceSelector=None), recreate),
        {"Updated"},
    ),
    (
        "SystemNamespace",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-public"), tag="1", options=("--kruise", "1.2")),
        "create the pod in another namespace",
        move("shop"),
        {"Updated"},
    ),
    (
        "SystemNamespace",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-public"), tag="1", options=("--kruise", "1.2")),
        "upgrade Kruise to 1.3",
        both(options("--kruise", "1.3"), move("kube-public")),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(ELSEWHERE,)),
        "change the MutatingWebhookConfiguration of Kruise",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(named(pod("p0", annotations=NOT_YET), "p0", "kube-system"), tag="1"),
        "or use another namespace; only pods created after that have its sidecars",
        move("shop"),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(FEW,)),
        "change label inject of the pod, or the",
        both(recreate, label(inject="yes")),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(FEW,)),
        "change label inject of the pod, or the MutatingWebhookConfiguration of Kruise; only pods created after that",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", more=(OFF,)),
        "turn on Kruise's webhook for pods: the feature gate PodWebhook, mpod.kb.io in its configuration",
        both(more(webhook()), recreate),
        {"Updated"},
    ),
    (
        "NotSeenByWebhook",
        inputs(pod("p0", annotations=NOT_YET), tag="1", options=("--feature-gates", "PodWebhook=false")),
        "turn on Kruise's webhook for pods: the feature gate PodWebhook",
        both(options(), recreate),
        {"Updated"},
    ),
    (
        "ReplacedByCanary",
        inputs(pod("p0"), tag="1", more=(canary({"app": "web"}),), options=("--kruise", "master")),
        "remove the canary",
        more(),
        {"Updated"},
    ),
    (
        "ReplacedByCanary",
        inputs(pod("p0"), tag="1", more=(canary({"app": "web"}),), options=("--kruise", "master")),
        "change its selector to exclude the pod",
        more(canary({"app": "web", "canary": "yes"})),
        {"Updated"},
    ),
    (
        "RevisionNotFound",
        inputs(pod("p0"), tag="1", **ASKS),
        "add the ControllerRevision of kruise-system to the inputs",
        more(stored("logs-9")),
        {"Updated"},
    ),
    (
        "RevisionNotFound",
        inputs(pod("p0"), tag="1", more=(stored("logs-1"),), **ASKS),
        "request a stored one",
        write(injectionStrategy={"revision": {"revisionName": "logs-1"}}),
        {"Updated"},
    ),
    (
        "NotAPercentage",
        inputs(pod("p0"), tag="1", more=(stored("logs-1"),), options=("--kruise", "master"), **PERCENT),
        "write spec.updateStrategy.partition as a number or a percentage",
        strategy(partition="50%"),
        {"Updated"},
    ),
    (
        "IncompletePod",
        inputs(pod("p0", images={"app": "app:1"}, annotations=INCOMPLETE), tag="1", options=("--kruise", "1.0")),
        "recreate the pod",
        recreate,
        {"Updated"},
    ),
    (
        "MalformedSelector",
        inputs(
            pod("p0"),
            tag="1",
            selector={"matchExpressions": [{"key": "app", "operator": "Is", "values": ["web"]}]},
        ),
        "correct spec.selector.matchExpressions[0].operator",
        write(selector={"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}),
        {"Updated"},
    ),
    (
        "PodNotActive",
        inputs(ended(pod("p0"), is_owned=False), tag="1"),
        "nothing: it has ended or is being deleted, and nothing replaces it",
        go_on,
        {"Updated"},
    ),
    (
        "PodNotActive",
        inputs(ended(pod("p0")), tag="1"),
        "nothing: a pod that replaces it has the current version",
        both(recreate),
        {"Updated"},
    ),
    (
        "PodNotSelected",
        inputs(ended(pod("p0", labels={"app": "api"}, annotations=NOT_YET)), tag="1"),
        "change the label app of the pod or pod template, or spec.selector.matchLabels.app",
        both(recreate, label_pods),
        {"Updated"},
    ),
    (
        "StaticPod",
        inputs(pod("p0", annotations={"kubernetes.io/config.mirror": "x"}), tag="1"),
        "nothing: write the sidecar into the pod's file on its node, if it needs one",
        lambda given: given["pods"][0]["metadata"]["annotations"].pop("kubernetes.io/config.mirror"),
        {"Updated"},
    ),
    (
        "AnnotationUnreadable",
        inputs(
            pod("p0", annotations={"kruise.io/sidecarset-working-hotupgrade-container": "["}),
            tag="1",
            containers=[
                {
                    "name": "agent",
                    "image": "agent:1",
                    "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "empty:1"},
                }
            ],
        ),
        "recreate the pod: the annotations that Kruise wrote are damaged",
        update,
        {"Updated"},
    ),
    # what the rollout is about, alternative by alternative, and what remains behind it
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate"}),
        "or recreate the pod",
        update,
        {"Updated"},
    ),
    (
        "NotUpdate",
        inputs(pod("p0"), updateStrategy={"type": "NotUpdate", "paused": True, "partition": 1}),
        "type to RollingUpdate, or recreate the pod; set spec.updateStrategy.paused to false; lower spec.",
        strategy(type="RollingUpdate", paused=False, partition=0),
        {"Waiting"},
    ),
    (
        "Paused",
        inputs(pod("p0"), updateStrategy={"paused": True, "selector": {"matchLabels": {"canary": "yes"}}}),
        "set spec.updateStrategy.paused to false; make spec.updateStrategy.selector match the pod's labels",
        strategy(paused=False, selector={"matchLabels": {"app": "web"}}),
        {"Waiting"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0"), containers=[{"name": "agent", "image": "agent:2", "command": ["x"]}]),
        "recreate the pod, or ",
        update,
        {"Updated"},
    ),
    (
        "NotUpgradable",
        inputs(pod("p0", annotations=UNRECORDED)),
        "recreate the pod",
        update,
        {"Updated"},
    ),
    (
        "Busy",
        inputs(shows("agent:0", pod("p0"))),
        "the status of the sidecar must show the image of its spec",
        repair,
        {"Waiting"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{index}-{case[0]}" for index, case in enumerate(CASES)])
def test_a_remedy_changes_the_answer(case: tuple[str, Inputs, str, Edit, set[str]]) -> None:
    state, given, said, edit, afterward = case
    given = deepcopy(given)
    before, remedy, of_rollout = answer(given)
    assert before == state
    assert said in f"{remedy}\n{of_rollout}"
    edit(given)
    after, *_ = answer(given)
    assert after in afterward


def test_every_alternative_of_every_remedy_is_tried() -> None:
    """One that nobody tried may be useless."""
    tried = [case[2] for case in CASES] + [case[3] for case in MADE]
    for table in (remedies.OF_DECISIONS, remedies.OF_STATES, remedies.OF_LEFT_OUT):
        for reason, alternatives in table.items():
            for alternative in alternatives:
                assert any(each and (each in alternative or alternative in each) for each in tried), (
                    reason,
                    alternative,
                )
