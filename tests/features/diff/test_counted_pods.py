"""`sidecarctl diff OLD NEW PODS`: what changes for running pods and for those of workloads."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.values import Value
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset
from tests.features.diff.versions import NEWER, diff, document


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def manifest(**spec: Value) -> str:
    return json.dumps(sidecarset(**spec).manifest)


def test_the_numbers_of_running_pods() -> None:
    pods = [
        *(pod(f"p{number}") for number in range(4)),
        pod("q", annotations={"kruise.io/sidecarset-injected-list": None}),
    ]
    dump = json.dumps({"apiVersion": "v1", "kind": "List", "items": pods})
    old, new = json.dumps(sidecarset("1").manifest), manifest(updateStrategy={"partition": 3})
    written = document(old, new, "pods.json", **{"pods.json": dump})
    (item,) = written["sidecarSets"]
    assert item["rollout"] == {
        "pods": "running",
        "matchedPods": 4,
        "updatedBefore": 0,
        "updatedNow": 1,
        "heldBack": {"partition": 3, "selector": 0, "paused": 0},
        "waiting": 0,
        "busy": 0,
        "recreate": 0,
        "leftOut": 1,
        "ending": "HeldByPartition",
        "message": "Stops as asked: 1 of 4 pods updated after 1 wave; partition 3 holds back 3.",
    }
    text = diff(old, new, "pods.json", **{"pods.json": dump}).stdout
    assert "logs: InPlace: Images change: 1 of 4 pods can be updated; partition 3 holds back 3.\n" in text
    assert "; 1 more selected, but not in the rollout\n" in text


def test_pods_that_were_never_injected_are_distinguished() -> None:
    never = json.dumps(pod(annotations={"kruise.io/sidecarset-injected-list": None}))
    text = diff(json.dumps(sidecarset("1").manifest), manifest(), "pods.json", **{"pods.json": never}).stdout
    assert "  - no running pod takes part in its rollout, though 1 is selected\n" in text


def test_the_numbers_of_workloads() -> None:
    daemon = DEPLOYMENT.replace("kind: Deployment", "kind: DaemonSet")
    other = DEPLOYMENT.replace(": web", ": api").replace("replicas: 2", "replicas: 7")
    new = SET.replace("      app: web", "      app: api")
    both = f"{DEPLOYMENT}---\n{other}---\n{daemon}---\n{SERVICE}"
    written = document(SET, new, "all.yaml", **{"all.yaml": both})
    (item,) = written["sidecarSets"]
    assert item["workloadPods"] == {"workloads": 3, "kept": 0, "gained": 7, "lost": 2, "uncountedWorkloads": 1}
    text = diff(SET, new, "all.yaml", **{"all.yaml": both}).stdout
    assert "  - 9 pods in 3 workloads: 7 newly injected, 2 no longer injected, 1 workload of unknown size\n" in text


def test_workloads_may_stand_beside_the_new_sets() -> None:
    one_pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\nspec: {containers: [{name: a}]}\n"
    ended = diff(SET, f"{NEWER}---\n{DEPLOYMENT}---\n{one_pod}")
    assert "  - 3 pods in 2 workloads: all injected before and after\n" in ended.stdout
    ended = diff(SET, f"{NEWER}---\n{DEPLOYMENT}".replace("labels: {app: web}", "labels: {app: api}"))
    assert "  - it is injected into no workload among the inputs\n" in ended.stdout


def test_no_workload_is_no_news_where_running_pods_are_counted(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(json.dumps(sidecarset("1").manifest))
    (tmp_path / "pods.json").write_text(json.dumps(pod("p0")))
    text = run("diff", "--delete", "logs", tmp_path / "old.yaml", tmp_path / "pods.json").stdout
    assert "SidecarLost: 1 running pod" in text
    assert "no workload" not in text


def test_a_removed_set_warns_of_unknown_namespaces_too(tmp_path: Path) -> None:
    """Else 'NoEffect' would be all that is said of the pods that it may have had."""
    manifest = sidecarset("1", namespaceSelector={"matchLabels": {"env": "prod"}}).manifest
    (tmp_path / "old.yaml").write_text(json.dumps(manifest))
    (tmp_path / "pods.json").write_text(json.dumps(pod("p0")))
    words = ("diff", "--delete", "logs", tmp_path / "old.yaml", tmp_path / "pods.json")
    assert "logs: removed, Unknown: Unknown: shop/p0 matches" in run(*words).stdout
    assert "the labels of namespace shop are not known" in run(*words).stderr
    known = run(*words, "--namespace-labels", "shop=env:prod")
    assert ("SidecarLost" in known.stdout, known.stderr) == (True, "")


def test_nothing_to_count_is_reported() -> None:
    ended = diff(SET, NEWER, "none.yaml", **{"none.yaml": SERVICE})
    assert ended.code == 0
    assert "warning: no pods or workloads found in none.yaml (name the" in ended.stderr


def test_a_workload_of_a_kind_of_ones_own() -> None:
    game = DEPLOYMENT.replace("apps/v1", "example.com/v1").replace("kind: Deployment", "kind: Game")
    files = {"game.yaml": game}
    ended = diff(SET, NEWER, "game.yaml", "--template-path", "Game.example.com=spec.template", **files)
    assert "2 pods in 1 workload" in ended.stdout


def test_a_workload_that_cannot_be_asked_is_an_objection() -> None:
    broken = DEPLOYMENT.replace("labels: {app: web}", "labels: {app: 1}")
    ended = diff(SET, NEWER, "web.yaml", **{"web.yaml": broken})
    assert (ended.code, "web.yaml:" in ended.stderr, "WrongType" in ended.stderr) == (1, True, True)


def test_what_kruise_rejects_changes_no_pod() -> None:
    """The earlier version stays, or none: nothing is lost, and no request changes."""
    rejected = SET.replace("app: web", "app: other") + "  updateStrategy: {maxUnavailable: ten}\n"
    ended = diff(SET, rejected, "web.yaml", **{"web.yaml": DEPLOYMENT})
    assert (ended.code, "all injected before and after" in ended.stdout) == (1, True)
    assert ended.stdout.endswith("1 SidecarSet: 1 Rejected\n")
    for name, text in {"old": SET, "new": rejected}.items():
        Path(name).mkdir()
        Path(name, "set.yaml").write_text(text)
        Path(name, "web.yaml").write_text(DEPLOYMENT)
    (workload,) = json.loads(run("diff", "--before", "old", "--after", "new", "-o", "json").stdout)["workloads"]
    assert workload["change"] == "unchanged"


def test_namespaces_whose_labels_decide_and_are_not_known_are_reported() -> None:
    newer, older = (
        json.dumps(sidecarset(tag, namespaceSelector={"matchLabels": {"team": "a"}}).manifest) for tag in ("2", "1")
    )
    pods = {"pods.json": json.dumps(pod())}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    blind = diff(older, newer, "pods.json", **pods)
    assert "the labels of namespace shop are not known" in blind.stderr
    assert blind.code == 1
    assert (
        "logs: Unknown, InPlace: Unknown: shop/p0 matches only if the labels of namespace shop do; add"
        in blind.stdout
    )
    assert "no running pod takes part" not in blind.stdout
    told = diff(older, newer, "pods.json", "-s", "ns.json", **pods, **{"ns.json": json.dumps(namespace)})
    assert told.stderr == ""
    assert "1 pod can be updated" in told.stdout


CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop}
spec:
  jobTemplate:
    spec: {template: {metadata: {labels: {app: web}}, spec: {containers: [{name: job, image: job:1}]}}}
"""


@pytest.mark.parametrize(
    "words",
    ["old.yaml new.yaml", "--set-image log-agent=log:3 old.yaml", "--kruise-from 1.6 --kruise-to 1.9 old.yaml"],
)
def test_what_is_left_out_and_unknown_about_workloads(words: str) -> None:
    Path("apps/chart/templates").mkdir(parents=True)
    Path("apps/chart/Chart.yaml").write_text("apiVersion: v2\nname: chart\nversion: 0.1.0\n")
    Path("apps/chart/templates/web.yaml").write_text("kind: {{ .Values.kind }}\n")
    Path("apps/web.yaml").write_text(DEPLOYMENT)
    for name, text in {"old.yaml": SET, "new.yaml": NEWER}.items():
        Path(name).write_text(
            text.replace("  selector:", "  namespaceSelector: {matchLabels: {team: a}}\n  selector:")
        )
    ended = run("diff", *words.split(), "apps")
    assert "note: left out 1 Helm template" in ended.stderr
    assert ended.stderr.count("the labels of namespace shop are not known") == 1
    cost = run("cost", "old.yaml", "apps")
    assert (cost.code, cost.stdout.startswith("Unknown: 2 pods (shop/web-")) == (1, True)
    assert "the labels of namespace shop are not known" in cost.stderr


def test_no_number_is_assumed_for_pods_that_are_not_counted() -> None:
    ended = diff(SET, NEWER, "job.yaml", **{"job.yaml": CRON_JOB})
    assert "1 workload of unknown size" in ended.stdout
    assert "parallelism" not in ended.stderr
