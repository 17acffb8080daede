"""The state of pods counts, not the journal; and pods that are never ready block nothing."""

from tests.cli.running import run
from tests.cluster.control_plane import ControlPlane
from tests.cluster.kubelet import Fault
from tests.cluster.push.pushing import begin, pushed, updated, waves
from tests.cluster.shop import Shop, images, is_ready, is_settled
from tests.cluster.test_live import allow
from tests.engine.rollout.manifests import pod, sidecarset

SICK = ("--timeout", "10")


def names_of(shop: Shop, pods: int) -> list[str]:
    return [name for wave in waves(begin(shop, pods)) for name in wave]


def test_there_and_back_and_there_again(shop: Shop) -> None:
    """With the same plan, and the journal of the first push next to it."""
    names = names_of(shop, 4)
    pushed(shop)
    words = ("rollback", shop.folder / "plan.json", "--live", "-o", f"json={shop.folder}/back.json")
    assert run(*words, env={"KUBECONFIG": str(shop.kubeconfig)}).code == 0
    pushed(shop, plan="back")
    assert updated(shop, names) == []
    last = pushed(shop).events[-1]
    assert (last["result"], last["patched"], last["asPlanned"]) == ("Completed", 4, 0)
    assert updated(shop, names) == names


def test_resume_patches_what_somebody_put_back(shop: Shop) -> None:
    before = {name: shop.pod(name) for name in names_of(shop, 4)}
    names = [*before]
    pushed(shop, "--waves", "1")
    undone = {"spec": {"containers": [{"name": "agent", "image": "agent:1"}]}}
    undone["metadata"] = {"annotations": before[names[0]]["metadata"]["annotations"]}
    assert shop.api.patch(shop.path(names[0]), undone).code == 200
    shop.await_pod(names[0], is_settled)
    last = pushed(shop, "--resume").events[-1]
    assert (last["result"], last["patched"], last["asPlanned"]) == ("Completed", 3, 1)
    assert updated(shop, names) == names


def test_an_image_that_is_put_back_by_hand_is_seen_and_patched_again(shop: Shop) -> None:
    names = names_of(shop, 4)
    pushed(shop)
    undone = {"spec": {"containers": [{"name": "agent", "image": "agent:1"}]}}
    assert shop.api.patch(shop.path(names[0]), undone).code == 200
    shop.await_pod(names[0], is_settled)
    for command, told in (("plan", "4 updated (1 with other images)"), ("status", "OtherImages")):
        ended = run(command, "--live", env={"KUBECONFIG": str(shop.kubeconfig)})
        assert f"1 of the 4 pods that Kruise counts as updated has other images: {shop.namespace}/{names[0]}" in (
            " ".join(ended.stderr.split())
        )
        assert told in ended.stdout
    pushed(shop, "--resume")
    assert updated(shop, names) == names


def test_a_pod_that_is_never_ready_holds_nobody_up(shop: Shop) -> None:
    """It comes first in the plan, is not the first pod of the push, and is listed."""
    shop.hold(sidecarset("2", updateStrategy={"maxUnavailable": 2, "paused": True}).manifest)
    shop.run_pods([pod(f"p{number:02}") for number in range(3)])
    shop.kubelet.faults["sick"] = Fault.NEVER_READY
    shop.create(pod("sick"))
    shop.await_pod("sick", lambda item: is_settled(item) and not is_ready(item))
    first = waves(shop.plan("--no-paused"))[0]
    assert "sick" in first
    push = pushed(shop)
    last = push.events[-1]
    assert (last["result"], last["patched"], last["waiting"]) == ("Completed", 4, 1)
    assert push.pods("PodPatched")[0] != "sick"
    assert push.pods("PodUnready") == ["sick"]
    assert images(shop.pod("sick"))["agent"] == "agent:2"


def test_timeouts_count_as_failures(shop: Shop) -> None:
    """The message names the pod, and the option that goes past it, which does."""
    names = names_of(shop, 4)
    shop.kubelet.faults[names[0]] = Fault.NEVER_READY
    push = pushed(shop, *SICK, code=1)
    why = push.until("Stopping")["why"]
    assert f"{shop.namespace}/{names[0]}: " in why
    assert "--max-failures 1 continues anyway" in why
    last = pushed(shop, *SICK, "--max-failures", "1", "--resume", code=1).events[-1]
    assert (last["result"], last["failed"]) == ("Incomplete", 1)
    assert updated(shop, names) == names


def test_a_viewer_of_one_namespace_gets_a_hint_with_the_option(shop: Shop, control_plane: ControlPlane) -> None:
    user = f"viewer-{shop.namespace}"
    shop.hold(sidecarset("2").manifest)
    allow(shop.api, user, "sidecarsets", "namespaces", "revisions", "cluster", "kruise")
    kubeconfig = control_plane.kubeconfig(shop.folder / user, user=user)
    ended = run("plan", "--live", env={"KUBECONFIG": str(kubeconfig)})
    assert ended.code == 2
    assert "-n NAMESPACE reads the pods of one namespace" in ended.stderr
