"""PodUnavailableBudgets in `plan`, `status` and `explain`: when they end a wave, and when nothing gets through."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.cli.running import run
from tests.engine.rollout.manifests import not_ready, pod, sidecarset
from tests.features.plan.planning import dump, planned, told, waves
from tests.schemas import assert_valid

ON = ("--feature-gates", "PodUnavailableBudgetUpdateGate=true")
DEPLOYMENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "shop", "uid": "d"},
    "spec": {
        "replicas": 5,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"containers": [{"name": "app", "image": "app:1"}]},
        },
    },
}
OWNER = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "d", "controller": True}


def budget(name: str = "web", **spec: Value) -> Object:
    return {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec},
    }


def owned(number: int) -> Object:
    return pod(f"p{number}", ownerReferences=[OWNER])


@pytest.fixture
def shop(folder: Path) -> Path:
    """A folder whose SidecarSet may update two pods at a time."""
    return folder


def given(folder: Path, *budgets: Object) -> None:
    dump(folder / "pods.json", [owned(number) for number in range(5)], DEPLOYMENT, *budgets)


def test_a_wave_ends_at_the_first_pod_without_room(shop: Path) -> None:
    given(shop, budget(maxUnavailable=1))
    document = planned(shop, *ON)
    assert waves(document) == [["p0"], ["p1"], ["p2"], ["p3"], ["p4"]]
    [item] = document["sidecarSets"]
    assert item["waves"][0]["endsAt"] == {
        "pod": "shop/p1",
        "podUnavailableBudget": "shop/web",
        "message": 'podunavailablebudget.policy.kruise.io "web" is forbidden: pub unavailable allowed is negative',
    }
    [said] = item["podUnavailableBudgets"]
    assert (said["limit"], said["totalReplicas"], said["unavailableAllowed"]) == ("maxUnavailable 1", 5, 1)
    assert (said["pods"], said["refusals"]) == (5, 4)


def test_text_markdown_and_html_name_it(shop: Path) -> None:
    given(shop, budget(maxUnavailable=1))
    outputs = ("-o", "text", "-o", f"markdown={shop}/plan.md", "-o", f"html={shop}/plan.html")
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON, *outputs)
    for text in (ended.stdout, (shop / "plan.md").read_text(), (shop / "plan.html").read_text()):
        assert "shop/web: room for 1 of 5 (maxUnavailable 1), protects 5 pods" in text
        assert "ends at shop/p1: PUB shop/web has no room" in text


def test_one_that_never_has_room_stalls_the_rollout(shop: Path) -> None:
    given(shop, budget(maxUnavailable=0))
    document = planned(shop, *ON, code=1)
    [item] = document["sidecarSets"]
    assert item["ending"] == "Stalled"
    assert item["message"] == (
        "Stalls: 0 of 5 pods updated after 0 waves; 5 pods wait, "
        "since PUB shop/web never has room (maxUnavailable 0)."
    )


def test_one_that_is_used_up_says_by_what(shop: Path) -> None:
    pods = [owned(0), *(not_ready(owned(number)) for number in (1, 2)), owned(3), owned(4)]
    dump(shop / "pods.json", pods, DEPLOYMENT, budget(minAvailable=3))
    document = planned(shop, *ON, "--max-unavailable", "5", code=1)
    assert waves(document) == [["p1", "p2"]]  # down already, so they cost nothing
    why = "PUB shop/web has no room (minAvailable 3: 3 of 5 pods must be available, and 3 are)"
    assert why in document["sidecarSets"][0]["message"]


def test_a_place_returns_after_ten_seconds_at_the_earliest(shop: Path) -> None:
    given(shop, budget(maxUnavailable=1))
    document = planned(shop, *ON, "--pod-update-duration", "4s")
    begins = [wave["beginsAtSeconds"] for wave in document["sidecarSets"][0]["waves"]]
    assert begins == [0, 12, 24, 36, 48]


def test_with_the_gate_off_one_note_says_that_nothing_is_held_back(shop: Path) -> None:
    given(shop, budget(maxUnavailable=0), budget("other", minAvailable="100%"))
    ended = run("plan", shop / "set.yaml", shop / "pods.json", "-o", "json")
    assert ended.code == 0
    told(ended, "2 PodUnavailableBudgets hold back no update: the feature gate PodUnavailableBudgetUpdateGate is off")
    document = json.loads(ended.stdout)
    assert waves(document) == [["p0", "p1"], ["p2", "p3"], ["p4"]]
    assert "podUnavailableBudgets" not in document["sidecarSets"][0]


def test_pods_made_from_workloads_are_covered(shop: Path) -> None:
    (shop / "old.yaml").write_text((shop / "set.yaml").read_text().replace("agent:2", "agent:1"))
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    workload = {**DEPLOYMENT, "metadata": {"name": "web", "namespace": "shop"}}
    protecting = budget(targetRef=target, maxUnavailable="20%")
    (shop / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [workload, protecting]}))
    ended = run("plan", shop / "set.yaml", shop / "all.json", "--from", shop / "old.yaml", *ON)
    assert "shop/web: room for 1 of 5 (maxUnavailable 20%), protects 5 pods" in ended.stdout
    assert ended.stdout.endswith("Completes: all 5 pods updated after 5 waves.\n")


def test_without_the_workloads_a_recorded_total_counts_else_a_warning_says_so(shop: Path) -> None:
    dump(shop / "pods.json", [owned(number) for number in range(5)], budget(maxUnavailable=1))
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON)
    told(ended, "PUB shop/web: workloads of its pods are not among the inputs; they count as none")
    recorded = {**budget(maxUnavailable=1), "status": {"totalReplicas": 5}}
    dump(shop / "pods.json", [owned(number) for number in range(5)], recorded)
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON)
    assert "room for 1 of 5" in ended.stdout
    assert "not among the inputs" not in ended.stderr


def test_a_pod_that_two_cover_is_reported(shop: Path) -> None:
    given(shop, budget("one", maxUnavailable=1), budget("two", maxUnavailable=1))
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON)
    told(ended, "shop/p0 is covered by shop/one and shop/two; only PUB one decides, but both count it")


def test_status_and_explain_say_what_a_pod_waits_for(shop: Path) -> None:
    never = "never has room (maxUnavailable 0)"
    given(shop, budget(maxUnavailable=0))
    ended = run("status", shop / "set.yaml", shop / "pods.json", *ON, "-o", "json")
    document = json.loads(ended.stdout)
    assert_valid(document, "rollout-status.json")
    first, second, third = document["sidecarSets"][0]["pods"][:3]
    assert (first["state"], first["why"]) == ("WaitingForBudget", f"waits for PUB shop/web, which {never}")
    assert second["why"] == f"waits behind shop/p0, which waits for PUB shop/web, which {never}"
    assert third["why"] == f"not in this round, which waits for PUB shop/web, which {never}"
    said = run("explain", "-s", shop / "set.yaml", shop / "pods.json", "shop/p0", *ON).stdout
    assert "rollout: WaitingForBudget: waits for PUB shop/web, which never has room (maxUnavailable 0)" in said
    assert (
        "what to change: raise maxUnavailable or lower minAvailable of the PodUnavailableBudget, or annotate" in said
    )
    assert "more pods of the PodUnavailableBudget ready" not in said


def test_a_pod_for_which_a_budget_has_no_room_now_says_why(shop: Path) -> None:
    dump(
        shop / "pods.json",
        [owned(0), not_ready(owned(1)), owned(2), owned(3), owned(4)],
        DEPLOYMENT,
        budget(minAvailable=4),
    )
    ended = run("status", shop / "set.yaml", shop / "pods.json", *ON, "-o", "json")
    states = {pod["name"]: pod["why"] for pod in json.loads(ended.stdout)["sidecarSets"][0]["pods"]}
    room = "waits for PUB shop/web, which has no room (minAvailable 4: 4 of 5 pods must be available, and 4 are)"
    assert states["p0"] == room
    said = run("explain", "-s", shop / "set.yaml", shop / "pods.json", "shop/p0", *ON).stdout
    assert (
        "what to change: make more pods of the PodUnavailableBudget ready, or raise maxUnavailable or lower" in said
    )
    given(shop, budget(maxUnavailable=1))
    ended = run("status", shop / "set.yaml", shop / "pods.json", *ON, "-o", "json")
    states = {pod["name"]: pod["why"] for pod in json.loads(ended.stdout)["sidecarSets"][0]["pods"]}
    assert states["p1"] == "waits for PUB shop/web, which has room for 1 pod now"


def test_a_pod_whose_hot_pair_has_the_image_already_waits_for_no_budget(shop: Path) -> None:
    """Its upgrade writes only annotations, which no budget holds back."""
    images = {"agent-1": "agent:2", "agent-2": "empty:1", "app": "app:1"}
    given_pod = pod("p0", hot=True, images=images, ownerReferences=[OWNER])
    dump(shop / "pods.json", [given_pod], DEPLOYMENT, budget(maxUnavailable=0))
    (shop / "set.yaml").write_text(json.dumps(sidecarset("2", hot=True).manifest))
    assert waves(planned(shop, *ON)) == [["p0"]]
    text = run("status", shop / "set.yaml", shop / "pods.json", *ON).stdout
    assert "the next round updates it" in text


def test_diff_has_the_ending_that_plan_has(shop: Path) -> None:
    given(shop, budget(maxUnavailable=0))
    (shop / "old.yaml").write_text((shop / "set.yaml").read_text().replace("agent:2", "agent:1"))
    versions = (shop / "old.yaml", shop / "set.yaml", shop / "pods.json")
    [ending] = {item["message"] for item in planned(shop, *ON, code=1)["sidecarSets"]}
    assert "PUB shop/web never has room" in ending
    assert ending.rstrip(".") in run("diff", *versions, *ON, "-o", "text").stdout
    ended = run("diff", *versions)
    assert "Stalls" not in ended.stdout
    assert "1 PodUnavailableBudget holds back no update" in ended.stderr


def test_what_the_release_does_not_know_of_a_budget_is_reported(shop: Path) -> None:
    newer = {**budget(maxUnavailable=1, protectOperations=["DELETE"]), "apiVersion": "policy.kruise.io/v1beta1"}
    given(shop, newer)
    assert waves(planned(shop, *ON, "--kruise", "master")) == [["p0", "p1"], ["p2", "p3"], ["p4"]]
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON)
    assert ended.code == 1
    told(ended, "a PodUnavailableBudget of policy.kruise.io/v1beta1 needs `--kruise master`", "apiVersion")
    assert "room for 1 of 5" in ended.stdout
    assert waves(planned(shop, *ON, "--allow-unknown")) == [["p0"], ["p1"], ["p2"], ["p3"], ["p4"]]
    given(shop, newer | {"apiVersion": "policy.kruise.io/v1alpha1"})
    told(
        run("plan", shop / "set.yaml", shop / "pods.json", *ON),
        "policy.kruise.io/v1alpha1 does not have protectOperations",
        "[UnknownField]",
    )


def test_without_the_webhook_nothing_is_held_back(shop: Path) -> None:
    given(shop, budget(maxUnavailable=0))
    gates = ("--feature-gates", f"{ON[1]},PodWebhook=false")
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *gates)
    assert ended.code == 0
    told(ended, "1 PodUnavailableBudget holds back no update: the feature gate PodWebhook is off")


@pytest.mark.parametrize(
    ("spec", "where"),
    [
        ({"maxUnavailable": [1]}, "spec.maxUnavailable: expected a number or a percentage"),
        ({"selector": {"matchLabels": 1}}, "spec.selector.matchLabels"),
        ({"protectOperations": "UPDATE"}, "spec.protectOperations: expected a list of strings"),
        ({"targetRef": "web"}, "spec.targetRef: expected an object"),
        ({"selector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}, "spec.selector"),
    ],
)
def test_one_that_kruise_cannot_read_is_refused_with_its_place(shop: Path, spec: Object, where: str) -> None:
    given(shop, budget(**spec))
    ended = run("plan", shop / "set.yaml", shop / "pods.json", *ON)
    assert (ended.code, ended.stdout) == (2, "")
    assert where in ended.stderr
    assert "pods.json:" in ended.stderr


def test_an_upgrade_of_kruise_counts_the_budgets_under_both_releases(shop: Path) -> None:
    given(shop, budget(maxUnavailable="30%"))
    versions = ("--kruise-from", "1.2", "--kruise-to", "1.3", shop / "set.yaml", shop / "pods.json")
    ended = run("diff", *versions, *ON, "--allow-unknown")
    message = "PUB shop/web has room for 2 of 5 pods instead of room for 1 of 5 pods"
    assert message in ended.stdout
    assert "PUB shop/web ends 0 waves instead of 4" in ended.stdout
    assert "PUB" not in run("diff", *versions, "--allow-unknown").stdout
    said = run("validate", "--kruise-from", "1.2", "--kruise-to", "1.3", *versions[4:], *ON, "--allow-unknown")
    assert message in said.stdout


def test_an_upgrade_that_makes_a_budget_stall_a_rollout_is_an_error(shop: Path) -> None:
    keys = {"kruise.io/pub-protect-operations": ""}
    item = budget(maxUnavailable=0)
    item["metadata"]["annotations"] = keys
    given(shop, item)
    versions = ("--kruise-from", "1.2", "--kruise-to", "1.3", shop / "set.yaml", shop / "pods.json")
    ended = run("diff", *versions, *ON, "--allow-unknown", "-o", "json")
    assert ended.code == 1
    assert "ends as Stalled instead of Complete: PUB shop/web never has room (maxUnavailable 0)" in ended.stdout


def test_a_budget_that_the_later_release_does_not_know_is_reported_by_the_upgrade(shop: Path) -> None:
    given(shop, budget(maxUnavailable=2) | {"apiVersion": "policy.kruise.io/v1beta1"})
    versions = (shop / "set.yaml", shop / "pods.json", *ON)
    ended = run("diff", "--kruise-from", "master", "--kruise-to", "1.9", *versions)
    assert ended.code == 1
    told(ended, "a PodUnavailableBudget of policy.kruise.io/v1beta1 needs `--kruise master`")
    assert run("diff", "--kruise-from", "1.9", "--kruise-to", "master", *versions).code == 0


ON_CALL = Path(__file__).parents[3] / "samples" / "on-call"


def test_budgets_that_cover_pods_of_a_rollout_are_named() -> None:
    inputs = [ON_CALL / f"{name}.yaml" for name in ("sidecarset", "pods", "budgets")]
    off = run("status", *inputs).stdout
    covers = "PodUnavailableBudget shop/web (maxUnavailable 1) covers 4 pods"
    assert f"\n  budget    {covers}: it holds back no update: the feature gate Pod" in off
    assert "\n  budget    PodDisruptionBudget shop/web (minAvailable 50%) covers 4 pods: it does not hold back" in off
    on = run("status", *inputs, *ON).stdout
    assert f"\n  budget    {covers}: it is asked before each update, and lets " in on
    document = json.loads(run("status", *inputs, *ON, "-o", "json").stdout)
    assert_valid(document, "rollout-status.json")
    assert [(each["kind"], each["asked"]) for each in document["sidecarSets"][0]["budgets"]] == [
        ("PodUnavailableBudget", True),
        ("PodDisruptionBudget", False),
    ]


def test_disruption_budgets_that_cover_no_pod_are_not_named(tmp_path: Path) -> None:
    text = (ON_CALL / "budgets.yaml").read_text().partition("---")[0]
    (tmp_path / "other.yaml").write_text(text.replace("app: web", "app: other"))
    (tmp_path / "elsewhere.yaml").write_text(text.replace("namespace: shop", "namespace: cart"))
    (tmp_path / "wrong.yaml").write_text(text.replace("{matchLabels: {app: web}}", "{matchExpressions: [7]}"))
    odd = "{matchExpressions: [{key: a, operator: Odd}]}"
    (tmp_path / "odd.yaml").write_text(text.replace("{matchLabels: {app: web}}", odd))
    (tmp_path / "none.yaml").write_text(text.partition("spec:")[0])
    said = run("status", ON_CALL / "sidecarset.yaml", ON_CALL / "pods.yaml", tmp_path).stdout
    assert "logs: 3 of 4 pods updated" in said
    assert "budget" not in said
