"""Each form of patch, applied to real pods: they become what was planned, and concurrent changes are not lost."""

import re
from collections.abc import Callable, Mapping

import pytest

from sidecarctl.engine.facts.values import Object, Value
from tests.cluster.shop import Shop, images, is_settled
from tests.engine.rollout.manifests import pod, sidecarset, state_of
from tests.features.plan.render.test_render_guards import set_of, shared_pod

FORMS = ["jsonpatch", "merge", "strategic"]
STATE = "kruise.io/sidecarset-inplace-update-state"
METADATA = [
    {"annotations": {"team": '{"logs":"b"}', "since": "v2"}, "patchPolicy": "Retain"},
]
HOT = {"agent-1": "agent:1", "agent-2": "empty:1", "app": "app:1"}


def cold(**spec: Value) -> Object:
    return sidecarset("2", updateStrategy={"maxUnavailable": 2}, **spec).manifest


def expected(plan: Object, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The images and annotations that the plan leaves a pod with."""
    named: dict[str, str] = {}
    texts: dict[str, str] = {}
    waves = sorted(
        ((wave["round"], item["name"], wave) for item in plan["sidecarSets"] for wave in item["waves"]),
        key=lambda at: at[:2],
    )
    for _, _, wave in waves:
        for item in wave["pods"]:
            if item["name"] == name:
                named |= {image["container"]: image["after"] for image in item["images"]}
                texts |= {entry["key"]: entry["after"] for entry in item["annotations"]}
    return named, texts


def assert_as_planned(shop: Shop, plan: Object, before: dict[str, Object]) -> None:
    for name, was in before.items():
        named, texts = expected(plan, name)
        now = shop.pod(name)
        assert named
        assert texts
        assert images(now) == images(was) | named
        assert untimed(now["metadata"]["annotations"]) == untimed(was["metadata"]["annotations"] | texts)


def untimed(annotations: Mapping[str, str]) -> dict[str, str]:
    """The annotations without the times that the script writes when it runs."""
    return {key: re.sub(_TIME, r"\1null", text) for key, text in annotations.items()}


_TIME = r'("updateTimestamp":)(?:null|"2[0-9-]{9}T[0-9:]{8}Z")'


def start(shop: Shop, pods: list[Object], *sets: Object) -> dict[str, Object]:
    shop.hold(*sets)
    shop.run_pods(pods)
    return {item["metadata"]["name"]: shop.pod(item["metadata"]["name"]) for item in pods}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("spec", [{}, {"patchPodMetadata": METADATA}], ids=["", "with metadata"])
def test_cold_updates(shop: Shop, form: str, spec: Object) -> None:
    before = start(shop, [pod(f"p{index}") for index in range(3)], cold(**spec))
    plan = shop.plan()
    shop.apply(shop.rendered(shop.dump(), "-o", form))
    assert_as_planned(shop, plan, before)
    assert shop.plan()["sidecarSets"][0]["ending"] == "NothingToDo"


@pytest.mark.parametrize("form", ["jsonpatch", "strategic"])
def test_a_hot_upgrade(shop: Shop, form: str) -> None:
    before = start(shop, [pod("p0", hot=True, images=HOT)], sidecarset("2", hot=True).manifest)
    plan = shop.plan()
    assert len(plan["sidecarSets"][0]["waves"]) == 2
    shop.apply(shop.rendered("-o", form))
    assert_as_planned(shop, plan, before)
    assert images(shop.pod("p0")) == {"agent-1": "empty:1", "agent-2": "agent:2", "app": "app:1"}
    assert shop.plan()["sidecarSets"][0]["ending"] == "NothingToDo"


def test_a_hot_upgrade_by_merge_patches_wave_by_wave(shop: Shop) -> None:
    start(shop, [pod("p0", hot=True, images=HOT)], sidecarset("2", hot=True).manifest)
    while shop.plan()["sidecarSets"][0]["waves"]:
        shop.apply(shop.rendered(shop.dump(), "-o", "merge", "--waves", "1"))
    assert images(shop.pod("p0")) == {"agent-1": "empty:1", "agent-2": "agent:2", "app": "app:1"}


@pytest.mark.parametrize("form", ["jsonpatch", "strategic"])
def test_two_sets_on_one_pod(shop: Shop, form: str) -> None:
    before = start(shop, [shared_pod("p0"), shared_pod("p1")], set_of("logs"), set_of("mesh"))
    plan = shop.plan()
    shop.apply(shop.rendered("-o", form))
    assert_as_planned(shop, plan, before)
    assert [item["ending"] for item in shop.plan()["sidecarSets"]] == ["NothingToDo", "NothingToDo"]


@pytest.mark.parametrize("form", FORMS)
def test_one_set_of_two_planned_alone(shop: Shop, form: str) -> None:
    before = start(shop, [shared_pod("p0")], set_of("logs"), set_of("mesh"))
    plan = shop.plan("--only", "mesh")
    shop.apply(shop.rendered(shop.dump(), "-o", form))
    assert_as_planned(shop, plan, before)


def test_whole_pods_by_kubectl_replace(shop: Shop) -> None:
    before = start(shop, [pod("p0"), pod("p1")], cold())
    plan = shop.plan()
    shop.kubectl("replace", "-f", "-", stdin=shop.render(shop.dump(), "-o", "pods").stdout)
    assert_as_planned(shop, plan, before)


def test_conditions(shop: Shop) -> None:
    start(shop, [pod("p0")], cold())
    shop.plan()
    shop.apply(shop.rendered("--write-conditions"))
    conditions = {condition["type"]: condition for condition in shop.pod("p0")["status"]["conditions"]}
    assert conditions["SidecarSetUpgradable"]["status"] == "True"
    assert conditions["Ready"]["status"] == "True"


Change = Callable[[Shop], None]


def _patched(patch: Object) -> Change:
    def change(shop: Shop) -> None:
        assert shop.api.patch(shop.path("p0"), patch).code == 200
        shop.await_pod("p0", is_settled)

    return change


def _recreated(shop: Shop) -> None:
    shop.api.delete(shop.path("p0"))
    shop.run_pods([pod("p0")])


def _relisted(shop: Shop) -> None:
    """Another pod of that name has the containers in another order."""
    shop.api.delete(shop.path("p0"))
    shop.run_pods([pod("p0", images={"app": "app:1", "agent": "agent:1"})])


CHANGES: dict[str, Change] = {
    "the image of the sidecar": _patched({"spec": {"containers": [{"name": "agent", "image": "agent:9"}]}}),
    "the recorded hash": _patched({"metadata": {"annotations": {"kruise.io/sidecarset-hash": "{}"}}}),
    "the recorded state": _patched({"metadata": {"annotations": {STATE: '{"other":{}}'}}}),
    "the pod itself": _recreated,
    "the pod and the order of its containers": _relisted,
}
HARMLESS: dict[str, Change] = {
    "the image of the app": _patched({"spec": {"containers": [{"name": "app", "image": "app:9"}]}}),
    "a label": _patched({"metadata": {"labels": {"a": "b"}}}),
}


def sent(shop: Shop, patch: Object) -> int:
    """Send a patch; the status code. One that is refused leaves the pod as it was."""
    before = shop.pod("p0")["metadata"]["resourceVersion"]
    answer = shop.api.patch(shop.path("p0"), patch["patch"], patch["patchType"])
    if answer.code != 200:
        assert shop.pod("p0")["metadata"]["resourceVersion"] == before
    return answer.code


def updated_before() -> Object:
    """A pod that has been updated in place before, so that a patch adds no annotation to it."""
    return pod("p0", annotations={STATE: state_of({"agent": "sha256:agent:0"})})


@pytest.mark.parametrize("made", [pod, updated_before])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", CHANGES)
def test_what_changed_since_the_plan_is_not_overwritten(
    shop: Shop, form: str, what: str, made: Callable[[], Object]
) -> None:
    start(shop, [made()], cold())
    shop.plan()
    [patch] = shop.rendered(shop.dump(), "-o", form)
    CHANGES[what](shop)
    assert sent(shop, patch) in (409, 422)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("what", HARMLESS)
def test_other_changes(shop: Shop, form: str, what: str) -> None:
    start(shop, [updated_before()], cold())
    shop.plan()
    [patch] = shop.rendered(shop.dump(), "-o", form)
    HARMLESS[what](shop)
    changed = shop.pod("p0")
    assert (sent(shop, patch) == 200) is (form == "jsonpatch")
    after = shop.pod("p0")
    assert images(after)["app"] == images(changed)["app"]
    assert after["metadata"]["labels"] == changed["metadata"]["labels"]


@pytest.mark.parametrize("form", ["jsonpatch", "strategic"])
def test_a_later_patch_of_a_pod(shop: Shop, form: str) -> None:
    start(shop, [shared_pod("p0")], set_of("logs"), set_of("mesh"))
    shop.plan()
    first, second = shop.rendered("-o", form)
    shop.apply([first])
    _patched({"spec": {"containers": [{"name": "proxy", "image": "proxy:9"}]}})(shop)
    assert (sent(shop, second) == 200) is (form == "strategic")  # which checks neither images nor annotations
