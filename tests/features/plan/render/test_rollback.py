"""`rollback`: an ordinary plan that returns pods to their state before a plan."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.pod_annotations import (
    HASH,
    HASH_WITHOUT_IMAGE,
    HashEntry,
    read_hashes,
    write_hashes,
)
from sidecarctl.engine.sidecarset.revisions.controller_revisions import new_revision
from tests.cli.running import Ended, run
from tests.engine.rollout.manifests import EMPTY, pod, sidecarset
from tests.features.plan.planning import dump, told, waves
from tests.schemas import assert_valid


class Rollout:
    """A plan over pods in a folder, carried out as far as a test wants."""

    def __init__(self, folder: Path, pods: Sequence[Object], manifest: Object, *options: str) -> None:
        self.folder = folder
        self.pods = {item["metadata"]["name"]: item for item in pods}
        (folder / "set.json").write_text(json.dumps(manifest))
        dump(folder / "before.json", pods)
        ended = run("plan", folder / "set.json", folder / "before.json", "-o", f"json={folder}/plan.json", *options)
        assert ended.code in (0, 1), ended.stderr

    def carry_out(self, *options: str, plan: str = "plan", ready: bool = True) -> None:
        """Update the pods as a plan says; those that are not to become `ready` stay with what they ran."""
        dump(self.folder / "now.json", list(self.pods.values()))
        ended = run(
            "render", self.folder / f"{plan}.json", self.folder / "now.json", "-o", "pods", "--simulated", *options
        )
        assert ended.code == 0, ended.stderr
        for document in yaml.safe_load_all(ended.stdout):
            if document:
                self.pods[document["metadata"]["name"]] = run_by_kubelet(document, ready=ready)

    def rollback(self, *options: str | Path, code: int = 0) -> Ended:
        dump(self.folder / "after.json", list(self.pods.values()))
        into = f"json={self.folder}/back.json"
        ended = run("rollback", self.folder / "plan.json", self.folder / "after.json", "-o", into, *options)
        assert ended.code == code, ended.stderr
        return ended

    def way_back(self) -> Object:
        self.rollback()
        document: Object = json.loads((self.folder / "back.json").read_text())
        assert_valid(document, "rollout-plan.json")
        return document

    def images(self, name: str) -> dict[str, str]:
        return {container["name"]: container["image"] for container in self.pods[name]["spec"]["containers"]}

    def annotation(self, name: str, key: str) -> str:
        text: str = self.pods[name]["metadata"]["annotations"][key]
        return text


def run_by_kubelet(manifest: Object, *, ready: bool) -> Object:
    """A pod whose status has the images of its spec; a container with a new one is `ready` or not."""
    images = {container["name"]: container["image"] for container in manifest["spec"]["containers"]}
    for status in manifest["status"]["containerStatuses"]:
        if status["image"] != images[status["name"]]:
            image = images[status["name"]]
            status |= {"image": image, "imageID": f"sha256:{image}", "ready": ready}
    are_ready = all(item["ready"] for item in manifest["status"]["containerStatuses"])
    manifest["status"]["conditions"] = [{"type": "Ready", "status": "True" if are_ready else "False"}]
    return manifest


def three(tmp_path: Path, *, hot: bool = False, **spec: Value) -> Rollout:
    pods = [pod(f"p{index}", hot=hot, uid=f"u{index}") for index in range(3)]
    return Rollout(
        tmp_path, pods, sidecarset("2", hot=hot, **{"updateStrategy": {"maxUnavailable": 2}, **spec}).manifest
    )


def changes(document: Object) -> list[tuple[str, str, str, str, str]]:
    return [
        (wave["kind"], item["name"], image["container"], image["before"], image["after"])
        for wave in document["sidecarSets"][0]["waves"]
        for item in wave["pods"]
        for image in item["images"]
    ]


def test_pods_get_their_images_and_hashes_back(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    before = dict(rollout.pods)
    rollout.carry_out()
    assert rollout.images("p0")["agent"] == "agent:2"
    document = rollout.way_back()
    assert waves(document) == [["p0", "p1"], ["p2"]]
    assert document["sidecarSets"][0]["rollbackOf"] == sidecarset("2").hash
    assert document["sidecarSets"][0]["hash"] == sidecarset("1").hash
    rollout.carry_out(plan="back")
    for name, was in before.items():
        assert rollout.pods[name]["spec"] == was["spec"]
        entry = read_hashes(rollout.annotation(name, HASH)).entries["logs"]
        assert (entry.hash, entry.controller_revision) == (sidecarset("1").hash, "logs-1")
    assert rollout.way_back()["sidecarSets"][0]["ending"] == "NothingToDo"


def test_the_state_is_that_of_the_way_back(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    rollout.carry_out()
    rollout.way_back()
    rollout.carry_out(plan="back")
    state = json.loads(rollout.annotation("p0", "kruise.io/sidecarset-inplace-update-state"))["logs"]
    assert state["lastContainerStatuses"] == {"agent": {"imageID": "sha256:agent:2"}}


def test_only_pods_of_the_plan_change(tmp_path: Path) -> None:
    """Not those that were created since, by whatever SidecarSet."""
    rollout = three(tmp_path)
    rollout.carry_out("--waves", "1")
    rollout.pods["new"] = {
        **rollout.pods["p0"],
        "metadata": {**rollout.pods["p0"]["metadata"], "name": "new", "uid": "n"},
    }
    recreated = rollout.pods["p1"]
    rollout.pods["p1"] = {**recreated, "metadata": {**recreated["metadata"], "uid": "another"}}
    ended = rollout.rollback()
    told(ended, "SidecarSet logs: 1 pod of the plan is gone or recreated, and left alone: shop/p1 [PodLeftAlone]")
    document = json.loads((tmp_path / "back.json").read_text())
    assert waves(document) == [["p0"]]
    assert document["sidecarSets"][0]["counts"]["before"]["matchedPods"] == 4


def test_pods_that_the_plan_did_not_update_are_not_held_back_by_a_selector(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    rollout.carry_out()
    new = rollout.pods["p0"]
    rollout.pods["new"] = {**new, "metadata": {**new["metadata"], "name": "new", "uid": "n"}}
    text = rollout.rollback("-o", "text").stdout
    assert "1 pod left as they are: not updated by the plan, or from another version" in text
    assert "3 of 4 pods updated after 2 waves; the rollback leaves 1 as it is." in text
    assert "selector" not in text


@pytest.mark.parametrize("strategy", [{"partition": 1}, {"selector": {"matchLabels": {"ring": "0"}}}])
def test_the_pace_of_the_plan_holds_nothing_back(tmp_path: Path, strategy: Object) -> None:
    pods = [pod(f"p{index}", labels={"ring": "0"}) for index in range(3)]
    rollout = Rollout(tmp_path, pods, sidecarset("2", updateStrategy=strategy).manifest)
    rollout.carry_out()
    updated = [name for name in rollout.pods if rollout.images(name)["agent"] == "agent:2"]
    for name in updated:
        rollout.pods[name]["metadata"]["labels"]["ring"] = "1"
    assert sorted(change[1] for change in changes(rollout.way_back())) == sorted(updated)


def test_max_unavailable_can_be_another(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    rollout.carry_out()
    rollout.rollback("--max-unavailable", "100%")
    assert waves(json.loads((tmp_path / "back.json").read_text())) == [["p0", "p1", "p2"]]


def test_a_hot_pair_is_upgraded_again_with_the_roles_swapped(tmp_path: Path) -> None:
    rollout = three(tmp_path, hot=True)
    rollout.carry_out()
    assert rollout.images("p0") == {"agent-1": EMPTY, "agent-2": "agent:2", "app": "app:1"}
    of_first = [change for change in changes(rollout.way_back()) if change[1] == "p0"]
    assert of_first == [
        ("upgrade", "p0", "agent-1", EMPTY, "agent:1"),
        ("reset", "p0", "agent-2", "agent:2", EMPTY),
    ]
    version = int(rollout.annotation("p0", "version.sidecarset.kruise.io/agent-2"))
    rollout.carry_out(plan="back")
    assert rollout.images("p0") == {"agent-1": "agent:1", "agent-2": EMPTY, "app": "app:1"}
    assert int(rollout.annotation("p0", "version.sidecarset.kruise.io/agent-1")) > version


def test_a_new_half_that_never_ran_is_emptied(tmp_path: Path) -> None:
    """The other half never stopped: it gets its role back, in one patch."""
    rollout = three(tmp_path, hot=True)
    rollout.carry_out("--waves", "1", ready=False)
    assert [change for change in changes(rollout.way_back()) if change[1] == "p0"] == [
        ("upgrade", "p0", "agent-2", "agent:2", EMPTY)
    ]
    version = int(rollout.annotation("p0", "version.sidecarset.kruise.io/agent-2"))
    rollout.carry_out(plan="back")
    assert rollout.images("p0") == {"agent-1": "agent:1", "agent-2": EMPTY, "app": "app:1"}
    assert json.loads(rollout.annotation("p0", "kruise.io/sidecarset-working-hotupgrade-container")) == {
        "agent": "agent-1"
    }
    assert int(rollout.annotation("p0", "version.sidecarset.kruise.io/agent-1")) > version
    assert rollout.way_back()["sidecarSets"][0]["ending"] == "NothingToDo"


def test_a_new_half_that_runs_already_is_emptied_last(tmp_path: Path) -> None:
    rollout = three(tmp_path, hot=True)
    rollout.carry_out("--waves", "1")
    assert [change for change in changes(rollout.way_back()) if change[1] == "p0"] == [
        ("reset", "p0", "agent-1", "agent:1", EMPTY),
        ("upgrade", "p0", "agent-1", EMPTY, "agent:1"),
        ("reset", "p0", "agent-2", "agent:2", EMPTY),
    ]


def test_pods_that_came_from_several_versions_are_chosen(tmp_path: Path) -> None:
    older = sidecarset("0")
    written = {
        HASH: write_hashes({"logs": HashEntry(None, older.hash, "logs", ("agent",), "logs-0")}),
        HASH_WITHOUT_IMAGE: write_hashes({"logs": HashEntry(None, older.hash_without_image, "logs", ("agent",))}),
    }
    images = {"agent": "agent:0", "app": "app:1"}
    pods = [pod("p0"), pod("p1"), pod("old", annotations=written, images=images)]
    rollout = Rollout(tmp_path, pods, sidecarset("2").manifest)
    rollout.carry_out()
    ended = rollout.rollback(code=3)
    told(ended, "2 pods from agent=agent:1 (hash ", "1 pod from agent=agent:0 (hash ", "SeveralEarlierVersions")
    assert not (tmp_path / "back.json").exists()
    for to, names in ((sidecarset("1").hash[:8], {"p0", "p1"}), (older.hash, {"old"})):
        rollout.rollback("--to", to)
        assert {change[1] for change in changes(json.loads((tmp_path / "back.json").read_text()))} == names
    told(rollout.rollback("--to", "xyz", code=3), "no pod of SidecarSet logs had a hash that begins with xyz")


def test_pods_with_one_hash_are_of_one_version(tmp_path: Path) -> None:
    """Whether they record its revision, as not all releases do, and whatever was changed in one of them by hand."""
    entry = HashEntry(None, sidecarset("1").hash, "logs", ("agent",))
    unnamed = pod("unnamed", annotations={HASH: write_hashes({"logs": entry})})
    changed = pod("changed", images={"agent": "agent:1-debug", "app": "app:1"})
    rollout = Rollout(tmp_path, [unnamed, pod("p0"), changed], sidecarset("2").manifest)
    rollout.carry_out()
    told(rollout.rollback(), "1 pod had other images before the plan than the others with the hash", ": shop/changed")
    document = json.loads((tmp_path / "back.json").read_text())
    assert {change[1:] for change in changes(document)} == {
        (name, "agent", "agent:2", "agent:1") for name in ("p0", "unnamed", "changed")
    }
    assert (document["sidecarSets"][0]["hash"], document["sidecarSets"][0]["revision"]) == (entry.hash, "logs-1")


def test_pods_without_a_hash_can_be_chosen(tmp_path: Path) -> None:
    rollout = Rollout(tmp_path, [pod("p0"), pod("bare", annotations={HASH: None})], sidecarset("2").manifest)
    rollout.carry_out()
    told(rollout.rollback(code=3), "1 pod from agent=agent:1 (hash none)")
    rollout.rollback("--to", "none")
    assert {change[1] for change in changes(json.loads((tmp_path / "back.json").read_text()))} == {"bare"}


def test_what_more_than_images_was_is_reported(tmp_path: Path) -> None:
    """The image of a native sidecar counts for the hash, and is never updated in place."""

    def manifest(tag: str, native: str) -> Object:
        native_sidecar = {"name": "proxy", "image": f"proxy:{native}", "restartPolicy": "Always"}
        accepted: Object = sidecarset(tag, initContainers=[native_sidecar]).manifest
        return {**accepted, "metadata": {"name": "logs", "uid": "of an earlier Kruise"}}

    before = sidecarset("1", initContainers=manifest("1", "1")["spec"]["initContainers"])
    written = {
        HASH: write_hashes({"logs": HashEntry(None, before.hash, "logs", ("agent",), "logs-1")}),
        HASH_WITHOUT_IMAGE: write_hashes({"logs": HashEntry(None, before.hash_without_image, "logs", ("agent",))}),
    }
    rollout = Rollout(tmp_path, [pod("p0", annotations=written)], manifest("2", "2"))
    rollout.carry_out()
    told(rollout.rollback(), "more than images differed, and only images are rolled back [EarlierHashDiffers]")


def test_an_image_that_the_plan_does_not_know(tmp_path: Path) -> None:
    """A plan that ends before the reset does not say what the other half ran."""
    pods = [pod("p0", hot=True)]
    rollout = Rollout(tmp_path, pods, sidecarset("2", hot=True).manifest, "--rounds", "1")
    rollout.carry_out()
    told(rollout.rollback(code=3), "does not empty the other half", "the earlier SidecarSet, with the hash", "-s")
    for tag, code in (("3", 3), ("1", 0)):
        (tmp_path / "old.json").write_text(json.dumps(sidecarset(tag, hot=True).manifest))
        rollout.rollback("-s", tmp_path / "old.json", code=code)
    assert ("upgrade", "p0", "agent-1", EMPTY, "agent:1") in changes(json.loads((tmp_path / "back.json").read_text()))


def test_a_pod_that_was_not_ready_does_not_stop_the_others(tmp_path: Path) -> None:
    """Kruise never empties the other half of its hot pair, so the plan does not say what that ran."""
    pods = [pod(f"p{index}", hot=True, uid=f"u{index}") for index in range(3)]
    broken = next(item for item in pods[0]["status"]["containerStatuses"] if item["name"] == "app")
    broken["ready"] = False
    pods[0]["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    rollout = Rollout(tmp_path, pods, sidecarset("2", hot=True, updateStrategy={"maxUnavailable": 2}).manifest)
    rollout.carry_out()
    ended = rollout.rollback()
    told(
        ended, "does not say which images 1 pod had, and it gets those of the others", "shop/p0 [EarlierImageUnknown]"
    )
    back = json.loads((tmp_path / "back.json").read_text())
    assert waves(back) == [["p0", "p1", "p2"], ["p1", "p2"]]
    assert "EarlierImageUnknown" in {finding["reason"] for finding in back["findings"]}


@pytest.mark.parametrize("are_all_unsaid", [True, False], ids=["no pod of the plan says it", "the others say it"])
def test_the_image_comes_from_the_revision_that_pods_recorded(tmp_path: Path, are_all_unsaid: bool) -> None:  # noqa: FBT001 - a case
    """A ControllerRevision of the dump has the images; another one has not."""
    pods = [pod(f"p{index}", hot=True, uid=f"u{index}") for index in range(3)]
    for item in pods if are_all_unsaid else pods[:1]:
        next(each for each in item["status"]["containerStatuses"] if each["name"] == "app")["ready"] = False
        item["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    rollout = Rollout(tmp_path, pods, sidecarset("2", hot=True, updateStrategy={"maxUnavailable": 3}).manifest)
    rollout.carry_out()
    for tag in "31":
        revision = new_revision(sidecarset(tag, hot=True), 1).manifest
        (tmp_path / "revision.json").write_text(json.dumps(revision))
        is_refused = are_all_unsaid and tag == "3"
        ended = rollout.rollback("-s", tmp_path / "revision.json", code=3 if is_refused else 0)
        assert ("EarlierImageUnknown" in ended.stderr) == (tag == "3")
    rollout.carry_out(plan="back")
    recorded = [read_hashes(rollout.annotation(f"p{index}", HASH)).recorded("logs") for index in range(3)]
    assert recorded == [sidecarset("1", hot=True).hash] * 3
    assert [rollout.images(f"p{index}")["agent-1"] for index in range(3)] == ["agent:1"] * 3


def test_it_says_that_the_cluster_may_roll_forward(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    rollout.carry_out()
    told(rollout.rollback(), "if the cluster still has the new SidecarSet, unpausing it rolls the pods forward")
    ended = rollout.rollback("-s", tmp_path / "set.json")
    told(ended, "warning: SidecarSet logs: the SidecarSet in the cluster has other images", "agent=agent:1")
    (tmp_path / "old.json").write_text(json.dumps(sidecarset("1").manifest))
    told(rollout.rollback("-s", tmp_path / "old.json"), "in the cluster is the earlier one already")


def test_a_plan_that_was_edited(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_text(plan.read_text().replace('"agent:1"', '"agent:0"'))
    told(rollout.rollback(code=3), "its digest does not fit (make a new plan) [EditedPlan]")


def test_a_plan_that_cannot_tell_whether_it_was_edited(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    plan = json.loads((tmp_path / "plan.json").read_text())
    del plan["digest"]
    (tmp_path / "plan.json").write_text(json.dumps(plan))
    told(rollout.rollback(code=2), "digest is missing")


def test_pods_are_needed(tmp_path: Path) -> None:
    three(tmp_path)
    ended = run("rollback", tmp_path / "plan.json")
    assert (ended.code, ended.stdout) == (2, "")
    told(ended, "rollback needs the current pods", "rollback PLAN PODS, or --live")


def test_a_sidecarset_that_is_not_in_the_plan(tmp_path: Path) -> None:
    told(three(tmp_path).rollback("--only", "mesh", code=2), "--only mesh: SidecarSet not found")


def test_what_is_not_a_plan(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    (tmp_path / "plan.json").write_text(json.dumps(sidecarset("2").manifest))
    told(rollout.rollback(code=2), "not a RolloutPlan")


def test_a_plan_of_invented_pods(tmp_path: Path) -> None:
    sample = Path("samples/rollouts/partition-50")
    words = ("--from", sample / "old.yaml", sample / "sidecarset.yaml", sample / "workloads.yaml")
    assert run("plan", *words, "-o", f"json={tmp_path}/plan.json").code == 0
    dump(tmp_path / "pods.json", [pod()])
    ended = run("rollback", tmp_path / "plan.json", tmp_path / "pods.json", "-o", "text")
    assert (ended.code, ended.stdout) == (3, "")
    told(ended, "the plan was made from workloads, not from existing pods [SyntheticPlan]")


def journal_of(rollout: Rollout, *steps: int, name: str = "plan.json.journal") -> Path:
    """A journal that says that these patches of the plan may have been made."""
    digest = json.loads((rollout.folder / "plan.json").read_text())["digest"]
    of = {"record": "plan", "plan": "plan.json", "digest": digest}
    head = {"apiVersion": "sidecarctl.dev/v1alpha1", "kind": "PushJournal", **of}
    sent = {"record": "intent", "pod": "p", "uid": "u", "time": "t", "containers": {}}
    records = [{**sent, "step": step} for step in steps]
    path = rollout.folder / name
    path.write_text("".join(json.dumps(record) + "\n" for record in [head, *records]) + '{"torn')
    return path


def test_a_journal_says_which_pods_were_patched(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    rollout.carry_out()
    dump(tmp_path / "after.json", list(rollout.pods.values()))
    into = f"json={tmp_path}/back.json"
    plan, journal = tmp_path / "plan.json", journal_of(rollout, 0, 2)
    for words in ((journal, tmp_path / "after.json"), (plan, tmp_path / "after.json", "--journal", journal)):
        ended = run("rollback", *words, "-o", into)
        assert ended.code == 0, ended.stderr
        assert waves(json.loads((tmp_path / "back.json").read_text())) == [["p0", "p2"]]


def test_a_journal_whose_plan_is_not_known(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    ended = run("rollback", journal_of(rollout, 0, name="elsewhere"), tmp_path / "before.json")
    assert ended.code == 2
    told(ended, "is a journal, and its name does not say which plan it is of", "use rollback PLAN --journal")


def test_a_journal_of_another_plan(tmp_path: Path) -> None:
    rollout = three(tmp_path)
    journal = journal_of(rollout, 0)
    journal.write_text(re.sub("sha256:[0-9a-f]{4}", "sha256:0000", journal.read_text()))
    told(rollout.rollback("--journal", journal, code=3), "belongs to another plan")


def test_the_way_back_is_held_back_by_the_budgets_of_the_plan(tmp_path: Path) -> None:
    budget = {
        "apiVersion": "policy.kruise.io/v1alpha1",
        "kind": "PodUnavailableBudget",
        "metadata": {
            "name": "web",
            "namespace": "shop",
            "annotations": {"pub.kruise.io/protect-total-replicas": "3"},
        },
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "maxUnavailable": 1},
    }
    (tmp_path / "budget.json").write_text(json.dumps(budget))
    gate = ("--feature-gates", "PodUnavailableBudgetUpdateGate=true")
    manifest = sidecarset("2", updateStrategy={"maxUnavailable": 3}).manifest
    rollout = Rollout(tmp_path, [pod(f"p{n}") for n in range(3)], manifest, *gate)
    rollout.carry_out()
    rollout.rollback("-s", tmp_path / "budget.json")
    back = json.loads((tmp_path / "back.json").read_text())
    assert back["featureGates"] == ["PodUnavailableBudgetUpdateGate"]
    assert [len(wave) for wave in waves(back)] == [1, 1, 1]
    assert back["sidecarSets"][0]["waves"][0]["endsAt"]["podUnavailableBudget"] == "shop/web"


def test_annotations_from_patch_pod_metadata_stay_and_are_named(tmp_path: Path) -> None:
    patches: Value = [
        {"annotations": {"example.com/port": "2", "example.com/other": "x"}, "patchPolicy": "Overwrite"}
    ]
    pods = [pod("p0", uid="u0", annotations={"example.com/port": "1", "example.com/other": "x"})]
    gate = ("--feature-gates", "SidecarSetPatchPodMetadataDefaultsAllowed=true")
    rollout = Rollout(tmp_path, pods, sidecarset("2", patchPodMetadata=patches).manifest, *gate)
    rollout.carry_out()
    assert rollout.annotation("p0", "example.com/port") == "2"
    ended = rollout.rollback()
    assert "keep the values that the plan wrote: example.com/port (" in ended.stderr
    assert ended.stderr.count("[MetadataStays]") == 1
