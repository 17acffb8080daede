"""Launch priorities of pods: validate finds what inject finds, in the manifests and the statuses of pods."""

from pathlib import Path

import pytest

from tests.cli.running import run

SET = """\
apiVersion: apps.kruise.io/v1alpha1
kind: SidecarSet
metadata: {name: mesh}
spec:
  selector: {matchLabels: {mesh: enabled}}
  containers:
  - name: proxy
    image: registry.example.com/proxy:1.0
    env: [{name: KRUISE_CONTAINER_PRIORITY, value: "5"}]
"""
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  template:
    metadata: {labels: {mesh: enabled}}
    spec:
      containers:
      - name: web
        image: registry.example.com/web:1.0
        env: [{name: KRUISE_CONTAINER_PRIORITY, value: "%s"}]
"""
BARRIER = "{name: KRUISE_CONTAINER_BARRIER, valueFrom: {configMapKeyRef: {name: %s-barrier, key: p_%d}}}"
LIVE = """\
apiVersion: v1
kind: Pod
metadata:
  name: web-0
  namespace: shop
  annotations: {apps.kruise.io/container-launch-priority-completed: "%s"}
spec:
  containers:
  - {name: proxy, image: 'proxy:1', env: [%s]}
  - {name: web, image: 'web:1', env: [%s]}
  - {name: log, image: 'log:1', env: [%s]}
status:
  phase: Pending
  containerStatuses:
  - {name: proxy, %s}
  - {name: web, %s}
  - {name: log, %s}
"""
ENDED = "ready: false, state: {terminated: {exitCode: 0}}"
CRASHES = "ready: false, state: {waiting: {reason: CrashLoopBackOff}}"
STARTS = "ready: false, state: {running: {}}"
READY = "ready: true, state: {running: {}}"
WAITS = "ready: false, state: {waiting: {reason: CreateContainerConfigError}}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    return tmp_path


def lines(manifest: str, *ids: str) -> list[str]:
    """The findings of inject, which are the same as those of validate but for the name of the rule."""
    Path("pod.yaml").write_text(manifest)
    injected = run("inject", "-s", "set.yaml", "pod.yaml").stderr.splitlines()
    validated = run("validate", "set.yaml", "pod.yaml").stdout.splitlines()
    told = [
        sorted(line.rpartition(" [")[0] for line in found if any(f"[{name}]" in line for name in ids))
        for found in (injected, validated)
    ]
    assert told[0] == told[1]
    return told[0]


def live(*statuses: str, completed: str = "false") -> str:
    barriers = (BARRIER % ("web-0", priority) for priority in (5, 0, 0))
    return LIVE % (completed, *barriers, *statuses)


def held_up(*statuses: str, completed: str = "false") -> list[str]:
    return lines(live(*statuses, completed=completed), "HoldsUpOthers", "container-holds-up-others")


def test_a_priority_that_refuses_the_pods_has_its_place_in_the_manifest() -> None:
    [line] = lines(DEPLOYMENT % "first", "PriorityNotANumber", "launch-priority-refused")
    assert line.startswith("error: pod.yaml:11:15: Deployment shop/web: spec.template.spec.containers[0].env[0]: ")
    assert run("validate", "set.yaml", "pod.yaml").code == 1
    assert run("validate", "--ignore", "launch-priority-refused", "set.yaml", "pod.yaml").code == 1


def test_a_priority_of_a_sidecarset_that_refuses_pods_is_reported_at_the_sidecarset() -> None:
    Path("set.yaml").write_text(SET.replace('"5"', "high"))
    Path("pod.yaml").write_text(DEPLOYMENT % "1" + "---\n" + (DEPLOYMENT % "1").replace("name: web,", "name: api,"))
    told = run("validate", "set.yaml", "pod.yaml").stdout
    assert "error: set.yaml:9:11: SidecarSet mesh: spec.containers[0].env[0]: Kruise rejects the pod: " in told
    assert "(in Deployment shop/web and 1 more)" in told


def test_what_was_copied_from_a_running_pod() -> None:
    copied = (DEPLOYMENT % "1").replace('value: "1"}', 'value: "1"}, ' + BARRIER % ("web-0", 0))
    [line] = lines(copied, "BarrierInManifest", "barrier-in-manifest")
    assert "names web-0-barrier, which is not the pod's own: it never starts" in line
    manifest, _, _ = live(READY, READY, READY, completed="true").partition("status:")
    ids = ("BarrierInManifest", "barrier-in-manifest", "StartMarkedCompleted", "start-marked-completed")
    assert len(lines(manifest, *ids)) == 4
    assert lines(live(READY, READY, READY, completed="true"), *ids) == []


@pytest.mark.parametrize(
    ("status", "said"),
    [(ENDED, "has ended"), (CRASHES, "is not ready (CrashLoopBackOff)"), (STARTS, "is not ready")],
)
def test_a_container_that_holds_up_those_of_lower_priority(status: str, said: str) -> None:
    [line] = held_up(status, WAITS, WAITS)
    assert line.startswith("warning: pod.yaml:15:5: Pod shop/web-0: status.containerStatuses[0]: ")
    assert f"container proxy {said} and holds up web and log of lower launch priority" in line


def test_nobody_is_held_up_if_nobody_waits_for_a_turn() -> None:
    assert held_up(READY, STARTS, WAITS) == []
    assert held_up(ENDED, STARTS, READY) == []
    assert held_up(WAITS, WAITS, WAITS) == []
    assert held_up(ENDED, WAITS, WAITS, completed="true") == []


def test_pods_that_the_webhook_does_not_see_have_no_such_finding() -> None:
    system = (DEPLOYMENT % "first").replace("namespace: shop", "namespace: kube-system")
    assert lines(system, "PriorityNotANumber", "launch-priority-refused") == []
    assert run("validate", "--installed-by", "kustomization", "set.yaml", "pod.yaml").code == 1
    assert run("validate", "--feature-gates", "PodWebhook=false", "set.yaml", "pod.yaml").code == 0


def test_priorities_without_effect_and_what_is_not_computed() -> None:
    assert len(lines(DEPLOYMENT % "5", "PriorityWithoutEffect", "launch-priority-without-effect")) == 1
    budget = (
        "apiVersion: policy.kruise.io/v1alpha1\nkind: PodUnavailableBudget\nmetadata: {name: a, namespace: shop}\n"
    )
    spec = "spec: {selector: {matchLabels: {mesh: enabled}}, maxUnavailable: 1}\n"
    assert len(lines(f"{budget}{spec}---\n{DEPLOYMENT % '1'}", "NotComputed")) == 1
