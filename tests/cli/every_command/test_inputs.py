"""What the inputs of a run are, and what decides in them: sets, Namespaces, revisions, at whatever place."""

import json
import sys
from pathlib import Path

import pytest

from tests.cli.manifests import BAD_YAML, DEPLOYMENT, SERVICE, SET
from tests.cli.running import run

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {tier: front}}\n"
BY_NAMESPACE = SET.replace("spec:\n", "spec:\n  namespaceSelector: {matchLabels: {tier: front}}\n")
UNITED = """\
apiVersion: apps.kruise.io/v1alpha1
kind: UnitedDeployment
metadata: {name: web, namespace: shop}
spec:
  template:
    cloneSetTemplate:
      spec:
        template: &pod
          metadata: {labels: {app: LABEL}}
          spec: {containers: [{name: web, image: web}]}
    deploymentTemplate:
      spec:
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: web, image: web}]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def test_namespaces_among_the_inputs_decide(folder: Path) -> None:
    (folder / "set.yaml").write_text(BY_NAMESPACE)
    (folder / "namespace.yaml").write_text(NAMESPACE)
    assert run("inject", "-s", "set.yaml", "-s", "namespace.yaml", "web.yaml").stderr.endswith("\n1 injected\n")
    (folder / "namespace.yaml").write_text(NAMESPACE.replace("front", "back"))
    ended = run("inject", "-s", "set.yaml", "-s", "namespace.yaml", "web.yaml")
    assert "skipped    web.yaml:2:1 Deployment shop/web  NamespaceNotSelected" in ended.stderr


def test_a_namespace_that_cannot_be_decoded(folder: Path) -> None:
    (folder / "namespace.yaml").write_text(NAMESPACE.replace("front", "5"))
    ended = run("inject", "-s", "set.yaml", "-s", "namespace.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "namespace.yaml:3:39: Namespace shop: metadata.labels.tier: expected " in ended.stderr


def test_a_decider_that_cannot_be_read_is_reported_once(folder: Path) -> None:
    (folder / "broken.yaml").write_text(BAD_YAML)
    ended = run("inject", "-s", "set.yaml", "-s", "broken.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.count("broken.yaml:3:") == 1


def test_a_broken_set_among_the_paths_ends_the_run(folder: Path) -> None:
    (folder / "web.yaml").write_text(DEPLOYMENT + "---\n" + SET + "  bad: : x\n")
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "web.yaml:" in ended.stderr


def test_older_manifests_that_cannot_be_read(folder: Path) -> None:
    (folder / "older.yaml").write_text(BAD_YAML)
    ended = run("inject", "-s", "set.yaml", "--revision-from", "older.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "older.yaml:3:" in ended.stderr


def test_a_list_without_a_kind_of_its_items(folder: Path) -> None:
    items = "\n".join("  " + line for line in SERVICE.splitlines())
    (folder / "list.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n- 5\n-\n{items}\n")
    ended = run("inject", "-s", "set.yaml", "list.yaml")
    assert (ended.code, ended.stdout) == (0, (folder / "list.yaml").read_text())


@pytest.mark.parametrize(
    ("label", "outcome"),
    [
        (
            "web",
            "injected   united.yaml:1:1 UnitedDeployment shop/web  logs (log-agent); readiness gate KruisePodReady",
        ),
        ("other", "injected   united.yaml:1:1 UnitedDeployment shop/web"),
    ],
)
def test_every_template_of_a_workload_is_injected(folder: Path, label: str, outcome: str) -> None:
    (folder / "united.yaml").write_text(UNITED.replace("LABEL", label).replace("&pod", ""))
    ended = run("inject", "-s", "set.yaml", "united.yaml")
    assert ended.code == 0
    assert ended.stderr.startswith(outcome)
    assert ended.stdout.count("log-agent:2.4.1") == (2 if label == "web" else 1)


def test_the_draw_of_policy_partial_is_reported_for_all_replicas(folder: Path) -> None:
    older = SET.replace("2.4.1", "2.3.0").replace("spec:\n", "spec:\n  customVersion: old\n")
    (folder / "older.yaml").write_text(older)
    strategy = "  injectionStrategy: {revision: {customVersion: old, policy: Partial}}\n"
    (folder / "set.yaml").write_text(SET + strategy + "  updateStrategy: {partition: 50%}\n")
    (folder / "web.yaml").write_text(DEPLOYMENT.replace("replicas: 2", "replicas: 40"))
    ended = run("inject", "-s", "set.yaml", "--revision-from", "older.yaml", "web.yaml")
    assert ended.code == 0, ended.stderr
    assert "of 40 replicas get the older revision of logs [PartialDraw]" in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["inject"], "no PATHS given"),
        (["inject", "-", "-"], "standard input (-) can be read only once"),
        (["inject", "-s", "set.yaml", "--only", "nobody", "web.yaml"], "--only nobody: SidecarSet not found"),
        (["inject", "-s", "set.yaml", "--timestamp", "noon", "web.yaml"], "--timestamp noon is not a time"),
        (["inject", "-s", "set.yaml", "--feature-gates", "A=b", "web.yaml"], "--feature-gates A is unknown (those"),
        (["inject", "-s", "set.yaml", "nowhere.yaml"], "nowhere.yaml: cannot be read: No such file or directory"),
    ],
    ids=["no paths", "stdin twice", "unknown set", "no time", "no gate", "no file"],
)
def test_arguments_that_cannot_be_meant(arguments: list[str], told: str) -> None:
    ended = run(*arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {told}")


def test_an_unreadable_folder_below(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def walk(top: Path, onerror: object) -> None:
        assert callable(onerror)
        onerror(PermissionError(13, "Permission denied", str(top)))

    monkeypatch.setattr("sidecarctl.engine.files.inputs.os.walk", walk)
    ended = run("inject", "-s", "set.yaml", "-R", folder)
    assert ended.code == 2
    assert "cannot be read: Permission denied" in ended.stderr


def test_feature_gates_may_be_switched_off_again() -> None:
    gate = "EnableSortSidecarContainerByName"
    ended = run("inject", "-s", "set.yaml", "--feature-gates", f"{gate}=true,,{gate}=false", "web.yaml")
    assert ended.code == 0


def test_every_gate_of_kruise_is_taken_in_helms_form_too_and_the_others_are_ignored() -> None:
    plain = run("inject", "-s", "set.yaml", "web.yaml")
    helm = r"ImagePullJobGate=true\,InPlaceWorkloadVerticalScaling=true\,ResourcesDeletionProtection=false"
    for asked in (helm, helm.replace("\\", ""), "SidecarTerminator"):
        assert run("inject", "-s", "set.yaml", "--feature-gates", asked, "web.yaml") == plain
    sorts = rf"{helm}\,EnableSortSidecarContainerByName=true"
    found = run("validate", "set.yaml", "--feature-gates", sorts, "-o", "json")
    assert json.loads(found.stdout)["featureGates"] == ["EnableSortSidecarContainerByName"]


def gates(asked: str, *options: str) -> list[str]:
    found = run("validate", "set.yaml", "--feature-gates", asked, "-o", "json", *options)
    assert found.code == 0, found.stderr
    names: list[str] = json.loads(found.stdout)["featureGates"]
    return names


def test_all_gates_of_a_stage_are_those_that_are_not_named() -> None:
    assert {"KruisePodReadinessGate", "EnhancedLivenessProbe"} <= {*gates("AllAlpha=true")}
    assert "KruisePodReadinessGate" not in gates("KruisePodReadinessGate=false,AllAlpha=true")
    assert gates("AllAlpha=false") == gates("AllBeta=true") == []
    assert gates("AllBeta=false") == [
        "KruiseDaemon=false",
        "PodUnavailableBudgetDeleteGate=false",
        "PodWebhook=false",
        "WorkloadSpread=false",
    ]
    assert "PodWebhook=false" not in gates("AllBeta=false,PodWebhook=true")
    assert gates("AllAlpha=true", "--kruise", "1.9")  # a release ignores the gates that it does not have
    ended = run("inject", "-s", "set.yaml", "--feature-gates", "AllBeta=false", "web.yaml", "--check")
    assert "the feature gate PodWebhook is off" in ended.stderr
    ended = run("inject", "-s", "set.yaml", "--feature-gates", "AllAlpha=true", "web.yaml", "--check")
    assert "readiness gate KruisePodReady" in ended.stderr


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("SidecarTerminater=true", "is unknown (did you mean SidecarTerminator?)"),
        ("EnhancedLivenessProbeGate=true", "is unknown (did you mean EnhancedLivenessProbe?)"),
        (
            "Xyz=true",
            "--feature-gates Xyz is unknown (those that decide about pods: EnableSortSidecarContainerByName, ",
        ),
        ("PodWebhook=off", "--feature-gates PodWebhook=off: write PodWebhook=true or PodWebhook=false"),
    ],
)
def test_an_unknown_gate_gets_a_suggestion(asked: str, said: str) -> None:
    ended = run("inject", "-s", "set.yaml", "--feature-gates", asked, "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_the_diff_is_colored_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = run("inject", "-s", "set.yaml", "--diff", "web.yaml").stdout
    assert "\x1b[" not in plain
    monkeypatch.setattr("sidecarctl.features.inject.sinks._a_person_reads_stdout", lambda: True)
    assert run("inject", "-s", "set.yaml", "--diff", "web.yaml").stdout == plain
    monkeypatch.setattr("sidecarctl.cli.terminal.shows_colors", lambda stream: stream is sys.stdout)
    colored = run("inject", "-s", "set.yaml", "--diff", "web.yaml").stdout
    assert "\x1b[32m+      - name: log-agent\x1b[0m\n" in colored


def test_folders_are_read_in_lexical_order_all_the_way_down(folder: Path) -> None:
    (folder / "apps" / "b").mkdir(parents=True)
    for name in ("c.yml", "b/z.json", "a.yaml", "d.txt", "B.yaml"):
        kind = name.partition(".")[0].replace("/", "-")
        text = SERVICE.replace("name: web", f"name: {kind}")
        (folder / "apps" / name).write_text(
            '{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "b-z"}}' if name == "b/z.json" else text
        )
    words = ("inject", "-s", "set.yaml", "-o", "name")
    assert run(*words, "--no-recursive", "apps").stdout == "service/B\nservice/a\nservice/c\n"
    assert run(*words, "apps").stdout == "service/B\nservice/a\nservice/b-z\nservice/c\n"
