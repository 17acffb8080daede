"""`drift --live` over a real server, in the middle of a rollout and after somebody changed pods by hand."""

import json

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.pod_annotations import HASH
from sidecarctl.engine.sidecarset.revisions.controller_revisions import revision_name
from tests.cli.running import run
from tests.cluster.shop import Shop, is_ready, is_settled
from tests.engine.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid


def states(shop: Shop, *options: str) -> dict[str, list[str]]:
    """The states of the pods by their names."""
    environ = {"KUBECONFIG": str(shop.kubeconfig)}
    older = shop.folder / "older.json"
    older.write_text(json.dumps(sidecarset("1").manifest))
    ended = run("drift", "--live", "--revision-from", older, "--kruise", "1.9", *options, "-o", "json", env=environ)
    assert ended.code == 0, ended.stderr
    made: Object = json.loads(ended.stdout)
    assert_valid(made, "drift-report.json")
    return {item["name"]: item["states"] for each in made["sidecarSets"] for item in each["pods"]}


def injected(name: str) -> Object:
    """A pod whose sidecar is marked as Kruise marks it, and which records the revision of version 1."""
    made = pod(name)
    annotations = made["metadata"]["annotations"]
    annotations[HASH] = annotations[HASH].replace("logs-1", revision_name(sidecarset("1")))
    made["spec"]["containers"][0]["env"] = [{"name": "IS_INJECTED", "value": "true"}]
    return made


def test_a_rollout_that_is_half_done(shop: Shop) -> None:
    shop.hold(sidecarset("2", updateStrategy={"maxUnavailable": 2}).manifest)
    shop.run_pods(injected(f"p{index}") for index in range(5))
    assert states(shop) == {f"p{index}": ["Behind"] for index in range(5)}
    shop.plan()
    first, second = shop.rendered("--waves", "1")
    shop.apply([first])
    name = first["target"]["name"]
    shop.await_pod(name, lambda pod: is_ready(pod) and is_settled(pod))
    shop.kubelet.moment = 3600  # it has not got to the second pod yet
    assert shop.api.patch(shop.path(second["target"]["name"]), second["patch"], "json").code == 200
    expected = {f"p{index}": ["Behind"] for index in range(5)}
    assert states(shop) == expected | {name: ["InSync"], second["target"]["name"]: ["Updating"]}


def test_pods_that_somebody_changed_by_hand(shop: Shop) -> None:
    shop.hold(sidecarset("1").manifest)
    shop.run_pods(injected(f"p{index}") for index in range(4))
    assert states(shop) == {f"p{index}": ["InSync"] for index in range(4)}
    image = [{"op": "replace", "path": "/spec/containers/0/image", "value": "agent:debug"}]
    label = [{"op": "replace", "path": "/metadata/labels/app", "value": "db"}]
    hashes = [{"op": "replace", "path": "/metadata/annotations/kruise.io~1sidecarset-hash", "value": "{"}]
    for name, patch in (("p0", image), ("p1", label), ("p2", hashes)):
        assert shop.api.patch(shop.path(name), patch, "json").code == 200
    assert states(shop) == {"p0": ["Changed"], "p1": ["Orphan"], "p2": ["Unknown"], "p3": ["InSync"]}
