"""A set that has a canary cannot be changed: `diff` and `plan` say so."""

from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.sidecarset.sets import BASE, CANARY
from tests.cli.running import run
from tests.engine.kubectl.conftest import kubectl
from tests.engine.kubectl.stand_in import PODS, SETS, StandIn
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.plan.planning import dump

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
MASTER = ("--kruise", "master")
"""Only an unreleased Kruise knows canary SidecarSets."""
__all__ = ["kubectl"]


def base(tag: str = "1", **metadata: Value) -> Object:
    manifest = sidecarset(tag).manifest
    return {**manifest, "metadata": {**manifest["metadata"], **metadata}}


def canary(tag: str = "2") -> Object:
    manifest = sidecarset(tag, name="logs-canary", updateStrategy={"type": "NotUpdate"}).manifest
    annotations = {CANARY: "true", BASE: "logs"}
    return {**manifest, "metadata": {**manifest["metadata"], "annotations": annotations}}


def diff(folder: Path, old: list[Object], new: list[Object]) -> tuple[int, str]:
    ended = run("diff", dump(folder / "old.json", old), dump(folder / "new.json", new), *MASTER)
    return ended.code, ended.stdout + ended.stderr


@pytest.mark.parametrize("changed", [base("3"), base(labels={"team": "a"})])
def test_diff_says_rejected(tmp_path: Path, changed: Object) -> None:
    code, text = diff(tmp_path, [base(), canary()], [changed, canary()])
    assert code == 1
    assert "Rejected" in text
    assert "it cannot be changed while its canary logs-canary exists" in text
    assert "delete logs-canary before you change it" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ([base(), canary("2")], [base(), canary("3")]),  # the canary itself
        ([base(), canary()], [base("3")]),  # it goes first
        ([base()], [base(), canary()]),  # it comes
        ([base(annotations={LAST_APPLIED: "{}"}), canary()], [base(), canary()]),  # as kubectl apply leaves it
        ([base(), sidecarset("2", name="other").manifest], [base("3"), sidecarset("2", name="other").manifest]),
    ],
)
def test_what_is_not_refused(tmp_path: Path, old: list[Object], new: list[Object]) -> None:
    assert "CanaryExists" not in diff(tmp_path, old, new)[1]


def test_plan_refuses_it_live(kubectl: StandIn, tmp_path: Path) -> None:
    kubectl.holds(SETS, base(), canary())
    kubectl.holds(PODS, pod("p0"))
    ended = run("plan", "--live", *MASTER, dump(tmp_path / "set.json", [base("3")]))
    assert ended.code == 1
    assert "SidecarSet logs\n" not in ended.stdout
    assert "it cannot be changed while its canary logs-canary exists" in ended.stderr
    assert "[CanaryExists]" in ended.stderr
    assert run("plan", "--live", *MASTER, dump(tmp_path / "set.json", [canary("3")])).code == 0
    kubectl.holds(SETS, base(annotations={"a": "b"}, labels={"c": "d"}, resourceVersion="7"), canary())
    assert run("plan", "--live", *MASTER, dump(tmp_path / "set.json", [base()])).code == 0


def test_plan_refuses_it_from_workloads() -> None:
    assert run_from_workloads(base("3"), canary()) == 1
    assert run_from_workloads(base(), canary("3")) == 0


def test_plan_warns_where_files_do_not_tell(tmp_path: Path) -> None:
    """The canary may be there already, or be created after the change; a dumped set is changed already."""
    for item, canaries, warns in (
        (base("3"), [canary()], True),
        (base("1"), [canary()], False),  # no pod is updated
        (base("3", uid="7"), [canary()], False),
        (base("3"), [], False),
    ):
        ended = run("plan", dump(tmp_path / "all.json", [item, *canaries, pod("p0")]), *MASTER)
        assert ended.code == 0, ended.stderr
        assert ("if its canary logs-canary already exists" in ended.stderr) is warns


def run_from_workloads(*new: Object) -> int:
    import tempfile

    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "app", "image": "app:1"}]}}
    web: Object = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}
    web["spec"] = {"selector": {"matchLabels": {"app": "web"}}, "template": template}
    with tempfile.TemporaryDirectory() as folder:
        old = dump(Path(folder, "old.json"), [base(), canary()])
        return run("plan", dump(Path(folder, "new.json"), [*new, web]), "--from", old, *MASTER).code
