"""`sidecarctl diff OLD NEW`: verdicts, fields, numbers, forms, exit codes."""

import json
from pathlib import Path

import pytest
import yaml

from sidecarctl.facts.values import Object, Value
from sidecarctl.reports.output import Page
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import Ended, run
from tests.rollout.manifests import pod, sidecarset
from tests.schemas import assert_valid

LATEST = SET.replace("log-agent:2.4.1", "log-agent:latest")
NEWER = SET.replace("log-agent:2.4.1", "log-agent:2.5.0")
RENAMED = SET.replace("name: log-agent", "name: shipper")
MESH = SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy")
HOT = "    upgradeStrategy: {upgradeType: HotUpgrade, hotUpgradeEmptyImage: empty:1}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def diff(old: str, new: str, *more: str, **files: str) -> Ended:
    for name, text in {"old.yaml": old, "new.yaml": new, **files}.items():
        Path(name).write_text(text)
    return run("diff", "old.yaml", "new.yaml", *more)


def document(old: str, new: str, *more: str, **files: str) -> Object:
    written: Object = json.loads(diff(old, new, "-o", "json", *more, **files).stdout)
    assert_valid(written, "sidecarset-diff.json")
    return written


def verdict(old: str, new: str) -> str:
    (item,) = document(old, new)["sidecarSets"]
    return str(item["verdict"])


def test_text() -> None:
    ended = diff(SET, NEWER)
    assert (ended.code, ended.stderr) == (0, "")
    assert ended.stdout == (
        "logs: InPlace: Only images change: running pods are updated in place.\n"
        "\n"
        "  hash                2fz6zx566z56 -> 726xcz6cv7xz\n"
        "  hash without image  w9c7z4dxfd49 (unchanged)\n"
        "  revision            logs-68c8f56bd4 -> logs-b4975cdd8\n"
        "\n"
        "  FIELD                             BEFORE -> AFTER\n"
        '  spec.containers[log-agent].image  "registry.example.com/log-agent:2.4.1" -> '
        '"registry.example.com/log-agent:2.5.0"\n'
        "\n"
        "1 SidecarSet: 1 InPlace\n"
    )


@pytest.mark.parametrize(
    ("new", "expected", "code"),
    [
        (SET, "NoEffect", 0),
        (NEWER, "InPlace", 0),
        (LATEST, "Recreate", 1),
        (SET + "    env: [{name: A, value: '1'}]\n", "Recreate", 1),
        (RENAMED, "Rejected", 1),
        (SET + HOT, "Rejected", 1),
        (SET + "  volumes: [{name: v, emptyDir: {}}]\n", "NoEffect", 0),
        (SET + "  updateStrategy: {partition: 5}\n", "RolloutHalts", 0),
        (LATEST + "  updateStrategy: {type: NotUpdate}\n", "RolloutHalts", 0),
        (SET + "  initContainers: [{name: init, image: i}]\n", "NoEffect", 0),
        (
            SET
            + "  initContainers: [{name: init, image: i, restartPolicy: Always}]\n"
            + "  updateStrategy: {type: NotUpdate}\n",
            "RolloutHalts",
            0,
        ),
    ],
)
def test_verdicts_and_exit_codes(new: str, expected: str, code: int) -> None:
    assert verdict(SET, new) == expected
    assert diff(SET, new).code == code
    assert diff(SET, new, "--exit-code").code == int(new != SET)


def test_a_pull_policy_that_flips_is_reported_with_the_way_out() -> None:
    ended = diff(SET, LATEST)
    assert "  - because of spec.containers[log-agent].imagePullPolicy\n" in ended.stdout
    assert '  spec.containers[log-agent].imagePullPolicy  "IfNotPresent" -> "Always" (by default)\n' in ended.stdout
    assert "[image-without-tag]\n" in ended.stderr
    assert ended.stderr.endswith(
        "warning: new.yaml:10:5: SidecarSet logs: spec.containers[0].imagePullPolicy: the default of "
        "imagePullPolicy changes from IfNotPresent to Always with the image tag (write imagePullPolicy: IfNotPresent "
        "to keep the update in place; the default counts for kubectl apply and Helm, while kubectl edit and kubectl "
        "patch keep the stored value) [DefaultFlipped]\n"
    )
    written = LATEST + "    imagePullPolicy: IfNotPresent\n"
    assert verdict(SET, written) == "InPlace"


def test_the_other_api_version_is_no_difference() -> None:
    older = SET.replace("v1beta1", "v1alpha1")
    assert document(older, SET)["sidecarSets"][0]["change"] == "unchanged"
    bound = older.replace("  selector:", "  namespace: shop\n  selector:")
    newer = SET.replace(
        "  selector:", "  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}\n  selector:"
    )
    assert document(bound, newer)["sidecarSets"][0]["fields"] == []


@pytest.mark.parametrize(
    ("new", "remark"),
    [
        (SET + "  volumes: [{name: v, emptyDir: {}}]\n", "neither hash covers the change"),
        (NEWER + "  updateStrategy: {paused: true}\n", "no pod is updated until it is unpaused"),
        (NEWER + "  updateStrategy: {type: NotUpdate}\n", "only new pods get the change"),
        (SET.replace("app: web", "app: api"), "other pods are selected"),
    ],
)
def test_what_else_follows(new: str, remark: str) -> None:
    assert remark in diff(SET, new).stdout


def test_another_empty_image_resets_all_idle_halves() -> None:
    new = (SET + HOT).replace("empty:1", "empty:2")
    ended = diff(SET + HOT, new)
    assert ended.code == 1
    assert "the idle containers of all HotUpgrade pairs are reset" in ended.stdout


def test_a_strategy_that_kruise_refuses_is_reported() -> None:
    both = SET + "  updateStrategy: {partition: 1, selector: {matchLabels: {app: web}}}\n"
    ended = diff(SET, both)
    assert ended.code == 1
    assert ended.stdout.startswith("logs: Rejected: Kruise rejects this version of the SidecarSet.\n")
    assert ended.stderr.count("partition and selector cannot be used together") == 1
    assert "[partition-and-selector]" in ended.stderr
    assert diff(SET, both, "--fail-on", "none").code == 0


def test_nothing_follows_from_a_change_that_is_refused() -> None:
    text = diff(SET + HOT, SET.replace("app: web", "app: api")).stdout
    assert text.startswith("logs: Rejected: ")
    assert "idle halves" not in text
    assert "other pods are selected" not in text


def test_added_and_removed_sets() -> None:
    ended = diff(SET, MESH)
    assert "logs: removed, SidecarLost: Pods no longer get its sidecars: " in ended.stdout
    assert "\n  - its sidecars stay in running pods" in ended.stdout
    assert "mesh: a new SidecarSet, SidecarGained: More pods get its sidecars: " in ended.stdout
    assert "\n  - running pods were created without it" in ended.stdout
    assert ended.stdout.endswith("2 SidecarSets: 1 removed, 1 added\n")
    assert [item["change"] for item in document(SET, MESH)["sidecarSets"]] == ["removed", "added"]
    assert diff(SET, MESH, "--exit-code").code == 1


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
    assert (
        "logs: InPlace, RolloutHalts: Images change: 1 of 4 pods are updated now; partition 3 holds back 3.\n" in text
    )
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
    assert "the labels of namespaces are not known: shop" in run(*words).stderr
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


def test_json_and_yaml_hold_the_same() -> None:
    written = document(SET, LATEST)
    assert yaml.safe_load(diff(SET, LATEST, "-o", "yaml").stdout) == written
    (item,) = written["sidecarSets"]
    assert item["causes"] == ["spec.containers[log-agent].imagePullPolicy"]
    assert [field["default"] for field in item["fields"]] == [False, True]
    assert len(item["before"]["hash"]) == 64


def test_markdown() -> None:
    lines = diff(SET, LATEST, "-o", "markdown").stdout.splitlines()
    assert lines[:3] == ["<!-- sidecarctl diff -->", "**1 of 1 SidecarSet needs pods recreated.**", ""]
    assert lines[3:5] == [
        "| SidecarSet | verdict | what changes | what it means for pods |",
        "| --- | --- | --- | --- |",
    ]
    assert lines[5].startswith("| <code>logs</code> | Recreate | log-agent 2.4.1 &#8594; latest; log-agent imagePull")
    assert "<details><summary><code>logs</code>: Recreate; 2 fields</summary>" in lines
    assert any("imagePullPolicy</code>" in line and line.endswith("| by default |") for line in lines)
    assert "No SidecarSet differs." in diff(SET, SET, "-o", "markdown").stdout


def test_markdown_stays_short_enough_for_a_comment_and_holds_no_markup_of_others() -> None:
    def sets(value: str) -> str:
        env = "".join(f"    - {{name: E{number}, value: '{value}{number}'}}\n" for number in range(60))
        item = f"{SET}    env:\n{env}"
        return "---\n".join(
            item.replace("name: logs", f"name: logs-{number}").replace("app: web", f"app: web{number}")
            for number in range(30)
        )

    ended = diff(sets("<img>|`a` @me "), sets("*b* "), "-o", "markdown=comment.md", "-o", "text")
    comment = Path("comment.md").read_text()
    assert len(comment) <= 60_000
    assert "<img>" not in comment
    assert "@me" not in comment
    assert "more sections: too long for a comment." in comment
    assert "<details><summary>20 more fields</summary>" in comment
    assert "20 more fields; -o json has all of them" in ended.stdout
    assert "and 20 more\n" in ended.stdout


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_terminal_is_not_overrun(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setattr("sidecarctl.cli.documents.page_of_stdout", lambda: Page(columns))
    lines = diff(SET, LATEST.replace("app: web", "app: api")).stdout.splitlines()
    assert max(map(len, lines)) <= columns


def test_only_some_sets() -> None:
    ended = diff(f"{SET}---\n{MESH}", f"{NEWER}---\n{MESH}", "--only", "mesh")
    assert ended.stdout == "1 SidecarSet: 1 unchanged\n"
    ended = diff(SET, NEWER, "--only", "mush")
    assert (ended.code, ended.stdout) == (2, "")
    assert "--only mush: SidecarSet not found (SidecarSets: logs)" in ended.stderr


def test_what_cannot_be_read_fails_the_run() -> None:
    broken = MESH.replace("image: registry.example.com/proxy:2.4.1", "image: 5")
    ended = diff(SET, f"{NEWER}---\n{broken}")
    assert ended.code == 2
    assert "error: new.yaml:23:12: SidecarSet mesh: spec.containers[0].image: expected a string" in ended.stderr
    assert ended.stdout == ""


def test_two_versions_are_needed() -> None:
    Path("a.yaml").write_text(SET)
    for arguments in ([], ["a.yaml"], ["a.yaml", "--before", "a.yaml"], ["--after", "a.yaml"], ["-", "-"]):
        ended = run("diff", *arguments)
        assert (ended.code, ended.stdout) == (2, "")


def test_a_new_version_that_was_forgotten_is_reported() -> None:
    ended = diff(SET, DEPLOYMENT)
    assert "logs: removed, SidecarLost: 2 pods of 1 workload no longer get its sidecars.\n" in ended.stdout
    assert ended.stderr == (
        "warning: no SidecarSet found in new.yaml, so all SidecarSets in old.yaml count as removed "
        "(is NEW missing? sidecarctl diff OLD NEW [PODS...]) [NoSidecarSet]\n"
    )
    assert "[NoSidecarSet]" not in diff(SET, MESH).stderr
    assert "[NoSidecarSet]" not in diff(SET, "a: b: c\n").stderr


def test_no_set_in_either() -> None:
    ended = diff(SERVICE, SERVICE)
    assert (ended.code, ended.stdout) == (2, "")
    assert "no SidecarSet found in either version" in ended.stderr


def test_the_help_ends_with_an_example() -> None:
    for command in ("diff", "status"):
        assert f"sidecarctl {command} " in run(command, "--help").stdout


def test_namespaces_whose_labels_decide_and_are_not_known_are_reported() -> None:
    newer, older = (
        json.dumps(sidecarset(tag, namespaceSelector={"matchLabels": {"team": "a"}}).manifest) for tag in ("2", "1")
    )
    pods = {"pods.json": json.dumps(pod())}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": {"team": "a"}}}
    blind = diff(older, newer, "pods.json", **pods)
    assert "the labels of namespaces are not known: shop" in blind.stderr
    assert "no running pod takes part in its rollout" in blind.stdout
    told = diff(older, newer, "pods.json", "-s", "ns.json", **pods, **{"ns.json": json.dumps(namespace)})
    assert told.stderr == ""
    assert "1 of 1 pod is updated now" in told.stdout


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
    assert ended.stderr.count("the labels of namespaces are not known: shop") == 1
    assert "the labels of namespaces are not known: shop" in run("cost", "old.yaml", "apps").stderr


def test_no_number_is_assumed_for_pods_that_are_not_counted() -> None:
    ended = diff(SET, NEWER, "job.yaml", **{"job.yaml": CRON_JOB})
    assert "1 workload of unknown size" in ended.stdout
    assert "parallelism" not in ended.stderr


def test_what_happens_if_a_sidecarset_is_deleted() -> None:
    samples = Path(__file__).parents[3] / "samples" / "explain"
    ended = run("diff", samples, "--delete", "logs")
    assert ended.code == 1
    assert ended.stdout.startswith(
        "logs: removed, SidecarLost: 1 pod of 1 workload and 5 running pods no longer get its sidecars.\n"
    )
    assert "are never updated again" in ended.stdout
    assert ended.stdout.endswith("\n9 SidecarSets: 8 unchanged, 1 removed\n")


def test_the_only_sidecarset_is_deleted() -> None:
    samples = Path(__file__).parents[3] / "samples" / "drift"
    ended = run("diff", "--delete", "logs", samples / "sidecarset.yaml", "--fail-on", "none")
    assert (ended.code, ended.stderr) == (0, "")
    assert "its sidecars stay in running pods until these are recreated" in ended.stdout


def test_an_unknown_sidecarset_cannot_be_deleted() -> None:
    samples = Path(__file__).parents[3] / "samples" / "explain"
    ended = run("diff", samples, "--delete", "log")
    assert ended.code == 2
    assert "did you mean logs?" in ended.stderr
    assert run("diff", samples, "--delete", "logs", "--kruise-from", "1.6", "--kruise-to", "1.9").code == 2
    assert run("diff", "--before", samples, "--delete", "logs").code == 2
    assert run("diff", "--delete", "logs").code == 2
