"""`sidecarctl diff --before DIR --after DIR`: what the pods of each workload get."""

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from tests.cli.manifests import BAD_TYPE, DEPLOYMENT, REJECTED, SERVICE, SET
from tests.cli.running import Ended, run
from tests.schemas import assert_valid

NEWER = SET.replace("log-agent:2.4.1", "log-agent:2.5.0")
OTHER = DEPLOYMENT.replace("name: web\n  namespace", "name: api\n  namespace")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


LOGS = [{"sidecarSet": "logs", "containers": ["log-agent"]}]


def tree(name: str, *texts: str) -> None:
    Path(name).mkdir(exist_ok=True)
    Path(name, "all.yaml").write_text("---\n".join(texts))


def diff(*options: str) -> Ended:
    return run("diff", "--before", "old", "--after", "new", *options)


def document(*options: str) -> Object:
    written: Object = json.loads(diff("-o", "json", *options).stdout)
    assert_valid(written, "injection-diff.json")
    return written


def test_a_unified_diff_for_each_workload_and_the_numbers() -> None:
    tree("old", SET, DEPLOYMENT, SERVICE)
    tree("new", NEWER, DEPLOYMENT, OTHER.replace("app: web", "app: api"), SERVICE)
    ended = diff()
    assert (ended.code, ended.stderr) == (0, "")
    sets, _, workloads = ended.stdout.partition("\nDeployment shop/web: log-agent 2.4.1 → 2.5.0\n")
    assert sets.startswith("logs: InPlace: ")
    assert "  - 2 pods in 1 workload: all injected before and after\n" in sets
    lines = workloads.splitlines()
    assert lines[:2] == ["--- before/shop/Deployment/web", "+++ after/shop/Deployment/web"]
    assert "-    image: registry.example.com/log-agent:2.4.1" in lines
    assert "+    image: registry.example.com/log-agent:2.5.0" in lines
    assert "Deployment shop/api: added; nothing injected" in lines
    assert lines[-1] == "2 workloads: 1 changed, 1 added"


def test_names_of_others_cannot_begin_lines_of_the_diff() -> None:
    named = DEPLOYMENT.replace("name: web\n  namespace", 'name: "web\\n+ x\\e"\n  namespace')
    tree("old", SET, named)
    tree("new", NEWER, named)
    assert diff().stdout.count("\n--- before/shop/Deployment/web\ufffd+ x\ufffd\n") == 1


def test_the_diff_applies(folder: Path) -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", NEWER, DEPLOYMENT)
    (item,) = document()["workloads"]
    assert (item["change"], item["before"], item["after"]) == ("changed", LOGS, LOGS)
    injected = [yaml.safe_load(run("inject", name).stdout.split("---\n")[1]) for name in ("old", "new")]
    before, after = (each["spec"]["template"] for each in injected)
    (folder / "template.yaml").write_text(block_text(before))
    subprocess.run(["patch", "-s", "template.yaml"], input=item["diff"], text=True, check=True)
    assert yaml.safe_load((folder / "template.yaml").read_text()) == after


def test_workloads_that_are_gone_come_last() -> None:
    tree("old", SET, OTHER, DEPLOYMENT)
    tree("new", SET, DEPLOYMENT)
    lines = diff().stdout.splitlines()
    assert lines[:3] == ["1 SidecarSet: 1 unchanged", "", "Deployment shop/api: removed; logs (log-agent)"]
    assert lines[3:5] == ["--- before/shop/Deployment/api", "+++ /dev/null"]
    assert lines[-1] == "2 workloads: 1 unchanged, 1 removed"


def test_sets_that_come_and_go_change_the_pods() -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", SET.replace("name: logs", "name: mesh").replace("log-agent", "proxy"), DEPLOYMENT)
    said = "logs no longer injected; mesh newly injected; container log-agent removed; container proxy added"
    assert f"Deployment shop/web: {said}\n" in diff().stdout
    assert [item["change"] for item in document()["sidecarSets"]] == ["removed", "added"]
    ended = diff("--only", "mesh")
    assert "Deployment shop/web: mesh newly injected; container proxy added\n" in ended.stdout


def test_pods_count_too_but_their_status_does_not() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, labels: {app: web}}\nspec: {containers: [{name: a}]}\n"
    tree("old", SET, pod)
    tree("new", NEWER, pod)
    assert diff().stdout.splitlines()[-1] == "1 workload: 1 changed"


def test_exit_codes() -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", SET, DEPLOYMENT)
    assert (diff().code, diff("--exit-code").code) == (0, 0)
    tree("new", SET, DEPLOYMENT.replace("web:1.0", "web:1.1"))
    assert (diff().code, diff("--exit-code").code) == (0, 1)
    tree("new", SET.replace("log-agent:2.4.1", "log-agent"), DEPLOYMENT)
    assert diff().code == 1


def test_a_rejected_pod_is_an_objection_and_the_rest_is_reported() -> None:
    tree("old", SET, DEPLOYMENT, OTHER)
    tree("new", SET, REJECTED, OTHER.replace("web:1.0", "web:1.1"))
    ended = diff()
    assert ended.code == 1
    assert "Deployment shop/web: failed: its pods cannot be injected\n" in ended.stdout
    assert "2 workloads: 1 changed, 1 failed\n" in ended.stdout
    assert "error: new/all.yaml:" in ended.stderr
    assert "UnreadableHashes" in ended.stderr
    assert {workload["name"]: workload["diff"] for workload in document()["workloads"]}["web"] == ""


def test_what_cannot_be_decoded_fails_the_run() -> None:
    tree("old", SET, DEPLOYMENT, OTHER)
    tree("new", NEWER, BAD_TYPE, OTHER)
    ended = diff()
    assert (ended.code, ended.stdout) == (2, "")
    Path("new/bad.yaml").write_text("a: [")
    assert diff().code == 2


def test_markdown() -> None:
    tree("old", SET, *(DEPLOYMENT.replace("name: web\n", f"name: web-{number}\n") for number in range(90)))
    tree("new", NEWER, *(DEPLOYMENT.replace("name: web\n", f"name: web-{number}\n") for number in range(90)))
    comment = diff("-o", "markdown").stdout
    assert comment.startswith(
        "<!-- sidecarctl diff -->\n**1 of 1 SidecarSet updates pods in place "
        "(all 180 pods can be updated, 1 at a time, in 180 waves); 90 workloads: 90 changed**\n"
    )
    first = ", ".join(f"<code>Deployment shop/web-{number}</code>" for number in range(3))
    assert f"\n| 90 | {first} and 87 more | log-agent 2.4.1 &#8594; 2.5.0 |\n" in comment
    folded = "<code>Deployment shop/web-0 and 89 more</code>: log-agent 2.4.1 &#8594; 2.5.0"
    assert f"<details><summary>{folded}</summary>\n" in comment
    assert comment.count("```diff\n--- before/shop/Deployment/web-0\n") == comment.count("```diff\n") == 1
    assert "Deployment shop/web-89" in comment
    assert "kruise.io/sidecarset-hash" not in comment
    text = diff().stdout
    assert "Deployment shop/web-0 and 89 more: log-agent 2.4.1 → 2.5.0\n" in text
    assert text.count("log-agent:2.5.0") == 2  # the field of the set, and the one diff


def test_a_comment_stays_short_enough() -> None:
    def apps(tag: str) -> list[str]:
        return [
            DEPLOYMENT.replace("name: web\n", f"name: web-{number}\n").replace("app: web", f"app: web-{number}")
            for number in range(90)
        ] + [
            SET.replace("name: logs", f"name: logs-{number}")
            .replace("app: web", f"app: web-{number}")
            .replace("log-agent:2.4.1", f"log-agent-{number}-{'x' * 500}:{tag}")
            for number in range(90)
        ]

    tree("old", *apps("1"))
    tree("new", *apps("2"))
    comment = diff("-o", "markdown").stdout
    assert len(comment) <= 60_000
    assert "too long for a comment." in comment
    assert comment.count("<details>") == comment.count("</details>")


def test_changes_of_the_workload_itself_are_left_out() -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", NEWER, DEPLOYMENT.replace("web:1.0", "web:1.1"))
    for form in ("text", "markdown"):
        told = diff("-o", form).stdout
        assert "the workload itself changes too" in told
        assert "+    image: registry.example.com/log-agent:2.5.0" in told
        assert "web:1.0" not in told
        assert "+    image: registry.example.com/web:1.1" not in told
    assert "web:1.0" in document()["workloads"][0]["diff"]
    tree("new", SET, DEPLOYMENT.replace("web:1.0", "web:1.1"))
    assert "Deployment shop/web: changed only by the workload itself\n" in diff().stdout


def test_a_newly_selected_workload_gets_everything() -> None:
    tree("old", SET, DEPLOYMENT.replace("app: web", "app: api"))
    tree("new", SET, DEPLOYMENT)
    told = diff("-o", "markdown").stdout
    assert "| logs newly injected; container log-agent added; the workload itself changes too |" in told
    assert "+    image: registry.example.com/log-agent:2.4.1" in told
    assert "app: api" not in told


def test_a_diff_cannot_end_its_own_block() -> None:
    tree("old", SET, DEPLOYMENT)
    tree("new", f"{SET}    env:\n    - {{name: A, value: '````'}}\n", DEPLOYMENT)
    assert "`````diff\n" in diff("-o", "markdown").stdout


def test_yaml_and_json_hold_the_same() -> None:
    tree("old", SET, DEPLOYMENT, OTHER)
    tree("new", NEWER, DEPLOYMENT)
    assert yaml.safe_load(diff("-o", "yaml").stdout) == document()


def test_no_set_in_either_tree() -> None:
    tree("old", DEPLOYMENT)
    tree("new", DEPLOYMENT)
    ended = diff()
    assert (ended.code, ended.stdout) == (2, "")
    assert "no SidecarSet found in either version" in ended.stderr


def test_what_is_named_by_s_belongs_to_both_trees() -> None:
    tree("old", DEPLOYMENT)
    tree("new", DEPLOYMENT.replace("app: web", "app: api"))
    tree("sets", SET)
    changed = document("-s", "sets")
    assert [item["change"] for item in changed["sidecarSets"]] == ["unchanged"]
    assert [(workload["before"], workload["after"]) for workload in changed["workloads"]] == [(LOGS, [])]
    tree("sets", SET, "a: b: c\n")
    broken = diff("-s", "sets")
    assert (broken.code, broken.stderr.count("[Syntax]")) == (2, 1)


def test_feature_gates_decide_what_pods_get() -> None:
    gate = "EnableSortSidecarContainerByName"
    tree("old", SET, DEPLOYMENT)
    tree("new", NEWER, DEPLOYMENT)
    assert document("--feature-gates", f"{gate}=true")["featureGates"] == [gate]
    assert document()["featureGates"] == []
    unknown = diff("--feature-gates", "NoGate=true")
    assert (unknown.code, unknown.stdout) == (2, "")


def test_shared_sets_cannot_come_from_standard_input() -> None:
    tree("old", DEPLOYMENT)
    tree("new", DEPLOYMENT)
    ended = diff("-s", "-")
    assert ended.code == 2
    assert "standard input (-) can be read only once" in ended.stderr


def test_whole_trees_are_read() -> None:
    for name, text in (("old", SET), ("new", NEWER)):
        Path(name).mkdir()
        tree(f"{name}/below", text)
    assert diff().stdout.startswith("logs: InPlace: ")


def test_what_else_the_webhook_adds_is_on_both_sides() -> None:
    clone = DEPLOYMENT.replace("apps/v1", "apps.kruise.io/v1alpha1").replace("kind: Deployment", "kind: CloneSet")
    tree("old", SET, clone)
    tree("new", NEWER, clone)
    told = diff().stdout
    assert "CloneSet shop/web: log-agent 2.4.1 → 2.5.0\n" in told
    changed = [line for line in told.splitlines() if line.startswith(("+ ", "- "))]
    assert [line.split()[-1].partition(":")[2] for line in changed] == ["2.4.1", "2.5.0"]


def test_labels_that_are_unknown_are_one_warning_for_all_workloads_of_a_namespace() -> None:
    selecting = SET.replace("  selector:", "  namespaceSelector: {matchLabels: {team: a}}\n  selector:")
    for name, text in {"old": selecting, "new": selecting.replace("2.4.1", "2.5.0")}.items():
        tree(name, text, DEPLOYMENT, OTHER)
    assert diff().stderr.count("it requires labels of namespace shop") == 1


def test_a_workload_that_several_files_define_counts_once() -> None:
    other = DEPLOYMENT.replace("replicas: 2", "replicas: 5")
    for name, text in {"old": SET, "new": NEWER}.items():
        tree(name, text, DEPLOYMENT, other, DEPLOYMENT, OTHER.replace("app: web", "app: api"))
    ended = diff()
    assert "  - 2 pods in 1 workload: all injected before and after\n" in ended.stdout
    assert ended.stdout.endswith("2 workloads: 1 changed, 1 unchanged\n")
    assert "also at new/all.yaml:31:1, with different content: only the first manifest counts" in ended.stderr
    assert "note: new/all.yaml:14:1: Deployment shop/web: also at new/all.yaml:48:1: only the first" in ended.stderr
    for command in ("plan", "cost", "images"):
        assert "[DuplicateWorkload]" in run(command, "new", "--from", "old").stderr
