"""What is refused when a set changes: recorded updates, and the words."""

import pytest

from sidecarctl.engine.facts.values import Object, path_text
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.validation.updates import flip_findings, update_refusals
from tests.conformance.cases import FOLDER, Case, cases_in

_CASES = [case for case in cases_in(FOLDER / "admit") if "old" in case.params and "sets" in case.expect]
_ABOUT_UPDATES = ("is not found", "upgradeType is immutable", "sidecarset-base] is immutable")


@pytest.mark.parametrize("case", _CASES, ids=[case.name for case in _CASES])
def test_recorded_updates_are_refused_where_kruise_refuses_them(case: Case) -> None:
    old = admit(case.params["old"], MASTER)
    for manifest, recorded in zip(_sets(case), case.expect["sets"], strict=True):
        if manifest["metadata"]["name"] == old.name:
            found = [path_text(refusal.path) for refusal in update_refusals(old, admit(manifest, MASTER))]
            expected = [error for error in recorded["errors"] if error["detail"].endswith(_ABOUT_UPDATES)]
            assert len(found) == len(expected), expected


def _sets(case: Case) -> list[Object]:
    return [item for item in case.objects if item["kind"] == "SidecarSet"]


def a_set(*containers: Object, base: str = "") -> Object:
    annotations = {"apps.kruise.io/sidecarset-canary": "true", "apps.kruise.io/sidecarset-base": base} if base else {}
    return {
        "apiVersion": "apps.kruise.io/v1beta1",
        "kind": "SidecarSet",
        "metadata": {"name": "logs", "annotations": annotations},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "containers": list(containers)},
    }


def refusals(old: Object, new: Object) -> list[str]:
    """What is said of an update; master, since some are of canary SidecarSets."""
    found = update_refusals(admit(old, MASTER), admit(new, MASTER))
    return [f"{path_text(refusal.path)}: {refusal.message}" for refusal in found]


def test_a_renamed_container_is_recognized_by_the_one_that_is_gone() -> None:
    old, new = a_set({"name": "agent", "image": "a:1"}), a_set({"name": "shipper", "image": "a:1"})
    told = "container shipper is new (is it agent, renamed?): an update cannot add or rename containers"
    assert refusals(old, new) == [f"spec.containers[0].name: {told}"]


def test_an_added_container() -> None:
    item, other = {"name": "agent", "image": "a:1"}, {"name": "more", "image": "a:1"}
    assert refusals(a_set(item), a_set(item, other)) == [
        "spec.containers[1].name: container more is new: an update cannot add or rename containers"
    ]
    assert refusals(a_set(item, other), a_set(other)) == []


def test_a_changed_upgrade_type() -> None:
    hot = {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "e:1"}
    old, new = a_set({"name": "agent"}), a_set({"name": "agent", "upgradeStrategy": hot})
    assert refusals(old, new) == [
        "spec.containers[0].upgradeStrategy.upgradeType: upgradeType of agent cannot change from ColdUpgrade"
    ]


def test_another_base_of_a_canary() -> None:
    item = {"name": "agent", "image": "a:1"}
    path = "metadata.annotations[apps.kruise.io/sidecarset-base]"
    assert refusals(a_set(item, base="b1"), a_set(item, base="b2")) == [
        f"{path}: the base of a canary cannot change from b1"
    ]
    assert refusals(a_set(item), a_set(item, base="b2")) == [f"{path}: the base of a canary cannot change from none"]
    assert refusals(a_set(item, base="b1"), a_set(item)) == []


@pytest.mark.parametrize("before", ["false", None])
def test_a_set_that_has_the_base_already_may_become_its_canary_and_back(before: str | None) -> None:
    """Kruise compares only the annotation of the base."""
    canary = a_set({"name": "agent", "image": "a:1"}, base="b1")
    annotations = {**canary["metadata"]["annotations"], "apps.kruise.io/sidecarset-canary": before}
    none = {**canary, "metadata": {"name": "logs", "annotations": annotations}}
    assert refusals(none, canary) == []
    assert refusals(canary, none) == []
    assert len(refusals(none, a_set({"name": "agent", "image": "a:1"}, base="b2"))) == 1


def test_containers_of_one_name_are_no_changed_type() -> None:
    hot = {"name": "agent", "upgradeStrategy": {"upgradeType": "HotUpgrade", "hotUpgradeEmptyImage": "e:1"}}
    old, new = a_set({"name": "agent"}), a_set({"name": "agent"}, hot)
    assert refusals(old, new) == refusals(new, new) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ({"image": "a"}, {"image": "a:1"}, "from Always to IfNotPresent"),
        ({"image": "a:1"}, {"image": "a:latest"}, "from IfNotPresent to Always"),
        ({"image": "a"}, {"image": "a:1", "imagePullPolicy": "Always"}, ""),
        ({"image": "a"}, {"image": "a:1", "imagePullPolicy": "Never"}, ""),
        ({"image": "a:1", "imagePullPolicy": "Always"}, {"image": "a:1"}, ""),  # deleted, not changed by the tag
        ({"image": "a:1"}, {"image": "b:2"}, ""),
    ],
)
def test_an_image_may_change_the_default_of_the_pull_policy(old: Object, new: Object, said: str) -> None:
    before, after = (a_set({"name": "logs", **container}) for container in (old, new))
    found = list(flip_findings(admit(before, MASTER), admit(after, MASTER), after))
    assert [item.rule for item in found] == (["update-default-flipped"] if said else [])
    assert all(said in item.message for item in found)
