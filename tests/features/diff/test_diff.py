"""`sidecarctl diff OLD NEW`: verdicts, fields, numbers, forms, exit codes."""

from pathlib import Path

import pytest
import yaml

from sidecarctl.render.output import Page
from tests.cli.manifests import DEPLOYMENT, SERVICE, SET
from tests.cli.running import run
from tests.features.diff.versions import HOT, LATEST, MESH, NEWER, RENAMED, diff, document


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


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
        (SET + "  volumes: [{name: v, emptyDir: {}}]\n", "NewPodsOnly", 0),
        (SET + "  updateStrategy: {partition: 5}\n", "RolloutHalts", 0),
        (LATEST + "  updateStrategy: {type: NotUpdate}\n", "NewPodsOnly", 0),
        (SET + "  initContainers: [{name: init, image: i}]\n", "NewPodsOnly", 0),
        (
            SET
            + "  initContainers: [{name: init, image: i, restartPolicy: Always}]\n"
            + "  updateStrategy: {type: NotUpdate}\n",
            "NewPodsOnly",
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
