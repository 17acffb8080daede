"""Objects for which the webhook adds something that is not computed: one note each, where they fit a pod."""

from pathlib import Path

import pytest

from tests.cli.running import run

SET = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: logs}
spec:
  selector: {matchLabels: {team: a}}
  containers: [{name: log-agent, image: 'registry.example.com/log-agent:1.0'}]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: 'registry.example.com/web:1.0'}]}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-x2-abc
  namespace: shop
  labels: {app: web, pod-template-hash: x2}
  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-x2, uid: u, controller: true}]
spec: {containers: [{name: web, image: 'registry.example.com/web:1.0'}]}
"""
STATEFUL_POD = POD.replace("web-x2-abc", "web-0").replace("ReplicaSet, name: web-x2", "StatefulSet, name: web")
OF_DEPLOYMENT = "targetRef: {apiVersion: apps/v1beta1, kind: Deployment, name: web}"
OF_LABEL = "selector: {matchLabels: {app: web}}"
SPREAD = """\
apiVersion: apps.kruise.io/v1alpha1
kind: WorkloadSpread
metadata: {name: zones, namespace: shop}
spec: {%s, subsets: [{name: a, tolerations: [{operator: Exists}]}, {name: b, patch: {metadata: {labels: {b: b}}}}]}
"""
BUDGET = """\
apiVersion: policy.kruise.io/v1alpha1
kind: PodUnavailableBudget
metadata: {name: web, namespace: shop}
spec: {%s, maxUnavailable: 1}
"""
STATE = """\
apiVersion: apps.kruise.io/v1alpha1
kind: PersistentPodState
metadata: {name: web, namespace: shop}
spec:
  targetRef: {apiVersion: apps/v1, kind: StatefulSet, name: web}
  requiredPersistentTopology: {nodeTopologyKeys: [zone]}
status: {podStates: {%s: {nodeName: a, nodeTopologyLabels: {zone: a}}}}
"""
MARKER = """\
apiVersion: apps.kruise.io/v1alpha1
kind: PodProbeMarker
metadata: {name: idle, namespace: shop}
spec:
  selector: {matchLabels: {app: web}}
  probes: [{name: idle, containerName: %s, podConditionType: idle}]
"""
ANNOTATED = "the annotations kruise.io/related-pub and pub.kruise.io/related-pub; this is not computed"
MARKERS_ON = ("--feature-gates", "EnablePodProbeMarkerOnServerless=true")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    return tmp_path


def notes(pods: str, others: str, *options: str, option: str = "-s") -> list[str]:
    """The notes of inject with some objects among its inputs."""
    Path("pods.yaml").write_text(pods)
    Path("others.yaml").write_text(others)
    named = ["-s", "others.yaml"] if option else ["others.yaml"]
    ended = run("inject", "-s", "set.yaml", *named, *options, "pods.yaml")
    return [line for line in ended.stderr.splitlines() if "[NotComputed]" in line]


@pytest.mark.parametrize("pods", [DEPLOYMENT, POD])
def test_a_spread_of_the_pods_workload_is_noted(pods: str) -> None:
    [note] = notes(pods, SPREAD % OF_DEPLOYMENT)
    assert "tolerations, patch of the subset that its status decides" in note
    assert notes(pods, SPREAD % OF_DEPLOYMENT, option="") == [note]
    assert notes(pods, (SPREAD % OF_DEPLOYMENT).replace("namespace: shop", "namespace: other")) == []
    assert notes(pods, SPREAD % OF_DEPLOYMENT.replace("name: web", "name: cart")) == []
    assert notes(pods, SPREAD % OF_DEPLOYMENT, "--feature-gates", "WorkloadSpread=false") == []


def test_the_default_of_a_gate_is_that_of_the_release() -> None:
    objects = SPREAD % OF_DEPLOYMENT + "---\n" + BUDGET % OF_LABEL
    assert len(notes(POD, objects, "--kruise", "1.4")) == 2
    assert notes(POD, objects, "--kruise", "1.3") == []
    assert len(notes(POD, objects, "--kruise", "1.3", "--feature-gates", "WorkloadSpread=true")) == 1
    assert len(notes(POD, objects, "--kruise", "1.3", "--feature-gates", "PodUnavailableBudgetUpdateGate=true")) == 1
    assert notes(POD, BUDGET % OF_LABEL, "--kruise", "1.0", "--feature-gates", MARKERS_ON[1].split("=")[0]) == []


@pytest.mark.parametrize("target", [OF_DEPLOYMENT, OF_LABEL])
def test_a_budget_of_the_pod_is_noted_whatever_it_selects_by(target: str) -> None:
    [note] = notes(POD, BUDGET % target, "--kruise", "master")
    assert ANNOTATED in note
    [note] = notes(POD, BUDGET % target)
    assert "the annotation kruise.io/related-pub; this is not computed" in note
    second = (BUDGET % target).replace("name: web", "name: zz", 1)
    assert len(notes(POD, BUDGET % target + "---\n" + second)) == 1


def test_up_to_1_7_a_selector_is_noted_only_where_a_workload_has_a_number_of_pods() -> None:
    alone = POD.partition("  ownerReferences")[0] + "spec: {containers: [{name: web, image: 'web:1.0'}]}\n"
    for pods in (alone, DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet")):
        assert len(notes(pods, BUDGET % OF_LABEL, "--kruise", "1.8")) == 1
        assert notes(pods, BUDGET % OF_LABEL, "--kruise", "1.7") == []
    assert len(notes(POD, BUDGET % OF_LABEL, "--kruise", "1.7")) == 1


def test_a_state_is_noted_for_the_pod_that_it_knows() -> None:
    [note] = notes(STATEFUL_POD, STATE % "web-0")
    assert "nodeSelector from its status, and the annotation kruise.io/injected-persistent-pod-state" in note
    assert notes(STATEFUL_POD, STATE % "web-1") == []
    template = DEPLOYMENT.replace("kind: Deployment", "kind: StatefulSet")
    assert len(notes(template, STATE % "web-1")) == 1


def test_probe_markers_act_with_their_gate_on_containers_that_are_there() -> None:
    assert notes(POD, MARKER % "web") == []
    [note] = notes(POD, MARKER % "web", *MARKERS_ON)
    assert "the annotations kruise.io/podprobe and kruise.io/podprobemarker-list" in note
    assert notes(POD, MARKER % "log-agent", *MARKERS_ON) == []
    assert len(notes(POD.replace("{app: web,", "{app: web, team: a,"), MARKER % "log-agent", *MARKERS_ON)) == 1


@pytest.mark.parametrize("spec", ["1", "{selector: 1}", "{selector: {matchExpressions: [{}]}}", "{targetRef: []}"])
def test_odd_objects_fit_nothing_and_stop_nothing(spec: str) -> None:
    assert notes(POD, BUDGET.partition("spec")[0] + f"spec: {spec}\n") == []


def test_a_pod_that_the_webhook_does_not_see_has_no_note() -> None:
    system = POD.replace("namespace: shop", "namespace: kube-system")
    assert notes(system, (BUDGET % OF_LABEL).replace("namespace: shop", "namespace: kube-system")) == []


def test_explain_notes_it_too() -> None:
    Path("pods.yaml").write_text(DEPLOYMENT)
    Path("others.yaml").write_text(BUDGET % OF_LABEL)
    assert (
        ANNOTATED
        in run("explain", "deployment/web", "set.yaml", "others.yaml", "pods.yaml", "--kruise", "master").stdout
    )
