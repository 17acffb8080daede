"""PodUnavailableBudgets that hold back the rollouts of SidecarSets, as validate finds them."""

from pathlib import Path

import pytest

from tests.cli.running import run

SET = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {mesh: enabled}}
  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}
  updateStrategy: {type: RollingUpdate, maxUnavailable: 10%}
  containers: [{name: proxy, image: 'registry.example.com/proxy:1.0'}]
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: %s
metadata: {name: web, namespace: shop}
spec:
  %s
  template:
    metadata: {labels: {mesh: enabled, app: web}}
    spec: {containers: [{name: web, image: 'registry.example.com/web:1.0'}]}
"""
DEPLOYMENT = WORKLOAD % ("Deployment", "replicas: 30")
BUDGET = """\
apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata: {name: web, namespace: shop%s}
spec:
  %s
  %s
"""
BY_LABEL = "selector: {matchLabels: {app: web}}"
BY_TARGET = "targetRef: {apiVersion: apps/v1, kind: Deployment, name: web}"
ON = ("--feature-gates", "PodUnavailableBudgetUpdateGate=true")


def budget(limit: str, by: str = BY_LABEL, metadata: str = "") -> str:
    return BUDGET % (metadata, by, limit)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*documents: str, options: tuple[str, ...] = ON) -> list[str]:
    Path("all.yaml").write_text("---\n".join((SET, *documents)))
    told = run("validate", *options, "all.yaml").stdout.splitlines()
    return [line for line in told if "[pub-" in line or "[pods-of-two-pubs]" in line]


@pytest.mark.parametrize("by", [BY_LABEL, BY_TARGET])
@pytest.mark.parametrize("limit", ["maxUnavailable: 0", "maxUnavailable: 0%", "minAvailable: 100%"])
def test_a_budget_without_room_stalls_every_sidecarset_of_its_pods(by: str, limit: str) -> None:
    [line] = found(DEPLOYMENT, budget(limit, by))
    field, _, value = limit.partition(": ")
    place = f"all.yaml:24:{5 + len(field)}"
    assert line.startswith(f"warning: {place}: PodUnavailableBudget shop/web: spec.{field}: {field} {value}")
    assert "of 30 pods never lets an update through: SidecarSet mesh will stall" in line
    assert line.endswith("[pub-never-has-room]")


def test_nothing_is_held_back_with_the_gate_off_or_if_nothing_is_updated() -> None:
    assert found(DEPLOYMENT, budget("maxUnavailable: 0"), options=()) == []
    assert found(DEPLOYMENT.replace("mesh: enabled, ", ""), budget("maxUnavailable: 0")) == []
    operations = ", annotations: {kruise.io/pub-protect-operations: 'DELETE,EVICT'}"
    assert found(DEPLOYMENT, budget("maxUnavailable: 0", metadata=operations)) == []


def test_a_set_that_may_take_down_more_than_its_budget() -> None:
    [line] = found(DEPLOYMENT, budget("maxUnavailable: 2"))
    assert "SidecarSet mesh: spec.updateStrategy.maxUnavailable: 3 pods may be unavailable, " in line
    assert "PodUnavailableBudget shop/web allows 2 of 30" in line
    assert found(DEPLOYMENT, budget("maxUnavailable: 3")) == []
    assert len(found(DEPLOYMENT, budget("maxUnavailable: 10%"), options=(*ON, "--kruise", "1.2"))) == 0


def test_only_what_is_certain_is_reported_where_the_number_of_pods_is_not_known() -> None:
    unknown = WORKLOAD % ("Deployment", "paused: false")
    [line] = found(unknown, budget("maxUnavailable: 0"))
    assert "maxUnavailable 0 never lets an update through" in line
    assert found(unknown, budget("minAvailable: 1")) == []


def test_maxunavailable_does_not_protect_a_daemonset() -> None:
    daemons = WORKLOAD % ("DaemonSet", "minReadySeconds: 0")
    [line] = found(daemons, budget("maxUnavailable: 0"))
    assert line.endswith("[pub-of-daemonset]")
    assert found(daemons, budget("minAvailable: 2")) == []


def test_pods_of_two_budgets() -> None:
    second = budget("maxUnavailable: 50%", BY_TARGET).replace("name: web,", "name: all,", 1)
    [line] = found(DEPLOYMENT, budget("maxUnavailable: 50%"), second, options=())
    assert "Deployment shop/web: spec.template: PodUnavailableBudgets shop/web and shop/all cover it" in line


def test_words_that_protect_nothing() -> None:
    operations = ", annotations: {kruise.io/pub-protect-operations: 'DELETE, UPDATE'}"
    [line] = found(DEPLOYMENT, budget("maxUnavailable: 0", metadata=operations))
    assert '" UPDATE" protects nothing' in line
    assert "all.yaml:21:88: " in line


def test_words_of_a_release_are_what_a_budget_can_protect() -> None:
    words = ", annotations: {kruise.io/pub-protect-operations: '%s'}"
    at_fault = budget("maxUnavailable: 6", metadata=words % "UPDATE,EVICT")
    assert found(DEPLOYMENT, at_fault) == []
    [line] = found(DEPLOYMENT, at_fault, options=(*ON, "--kruise", "1.3"))
    assert '"EVICT" protects nothing' in line
    [line] = found(DEPLOYMENT, budget("maxUnavailable: 6", metadata=words % ","))
    assert '"," protects nothing' in line


def test_a_daemonset_counts_as_none_up_to_1_7() -> None:
    daemon = WORKLOAD % ("DaemonSet", "selector: {}")
    [line] = found(daemon, budget("maxUnavailable: 1"), options=(*ON, "--kruise", "1.7"))
    assert "it protects no pod: the pods' workload counts as 0" in line


def test_up_to_1_3_the_namespaces_of_the_system_have_no_budgets() -> None:
    there = [
        text.replace("namespace: shop", "namespace: kube-system")
        for text in (DEPLOYMENT, budget("maxUnavailable: 0"))
    ]
    everywhere = SET.replace("kubernetes.io/metadata.name: shop", "kubernetes.io/metadata.name: kube-system")
    options = (*ON, "--installed-by", "kustomization", "--kruise")
    assert len(found(everywhere.replace("mesh}", "other}"), *there, options=(*options, "1.4"))) == 1
    assert found(everywhere.replace("mesh}", "other}"), *there, options=(*options, "1.3")) == []


def test_a_budget_of_a_later_release_is_reported() -> None:
    Path("all.yaml").write_text(
        "---\n".join((SET, DEPLOYMENT, budget("maxUnavailable: 6").replace("v1alpha1", "v1beta1")))
    )
    ended = run("validate", "all.yaml")
    assert ended.code == 1
    assert "a PodUnavailableBudget of policy.kruise.io/v1beta1 needs `--kruise master`" in ended.stdout
    assert run("validate", "--kruise", "master", "all.yaml").code == 0
