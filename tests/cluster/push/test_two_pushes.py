"""Two pushes of different SidecarSets over the same pods, at the same time."""

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    INJECTED_LIST,
    HashEntry,
    write_hashes,
)
from sidecarctl.engine.sidecarset.sets import SidecarSet
from tests.cluster.push.pushing import Pushing, Recorded
from tests.cluster.shop import Shop, images
from tests.engine.rollout.manifests import pod, sidecarset

NAMES = {"logs": "agent", "mesh": "proxy"}
MOST, MANY = 3, 6
_LATER: Object = {"weightPriority": [{"weight": 50, "matchSelector": {"matchLabels": {"half": "b"}}}]}


def version(tag: str, name: str) -> SidecarSet:
    container = {"name": NAMES[name], "image": f"{NAMES[name]}:{tag}"}
    strategy: Object = {"maxUnavailable": MOST, "paused": True}
    if name == "mesh":  # it begins with other pods
        strategy["priorityStrategy"] = _LATER
    return sidecarset(name=name, containers=[container], updateStrategy=strategy)


def begin(shop: Shop) -> None:
    """Pods with version 1 of both, and a plan for each of them."""
    first = {name: version("1", name) for name in NAMES}
    entries = {name: HashEntry(None, item.hash, name, (NAMES[name],), f"{name}-1") for name, item in first.items()}
    bare = {name: entries[name]._replace(hash=item.hash_without_image) for name, item in first.items()}
    annotations = {HASH: write_hashes(entries), HASH_WITHOUT_IMAGE: write_hashes(bare), INJECTED_LIST: "logs,mesh"}
    held = {"agent": "agent:1", "proxy": "proxy:1", "app": "app:1"}
    shop.hold(*(version("2", name).manifest for name in NAMES))
    halves = ["a"] * (MANY // 2) + ["b"] * (MANY // 2)
    shop.run_pods(
        pod(f"p{index}", labels={"half": half}, annotations=annotations, images=held)
        for index, half in enumerate(halves)
    )
    for name in NAMES:
        shop.plan("--no-paused", "--only", name)
        (shop.folder / "plan.json").rename(shop.folder / f"{name}.json")


def test_together_they_take_down_no_more_pods_than_one_may(shop: Shop) -> None:
    begin(shop)
    shop.kubelet.moment = 0.5
    with Recorded(shop) as seen:
        logs = Pushing(shop, "--no-first-pod", plan="logs")
        with logs, Pushing(shop, "--no-first-pod", plan="mesh") as mesh:
            logs.end()
            mesh.end()
    assert seen.most_down() <= MOST
    found = [images(shop.pod(f"p{index}")) for index in range(MANY)]
    assert found == [{"agent": "agent:2", "proxy": "proxy:2", "app": "app:1"}] * MANY
