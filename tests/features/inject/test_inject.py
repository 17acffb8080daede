"""`sidecarctl inject`: artefact, report, exit codes, untouched files."""

import json
from collections.abc import Callable, Generator, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from sidecarctl.engine.documents.editing import document_edits
from sidecarctl.engine.documents.editing.document_edits import EditedText
from sidecarctl.engine.documents.reading.document import Document
from sidecarctl.engine.documents.reading.text_lines import Unchanged
from sidecarctl.engine.facts.values import Edit
from sidecarctl.engine.files.workers import spread_over_workers
from tests.cli.manifests import BAD_TYPE, BAD_YAML, DEPLOYMENT, REJECTED, SERVICE, SET
from tests.cli.running import run, run_process
from tests.schemas import assert_valid


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def test_stdout_is_the_text_with_the_sidecar_and_stderr_the_report(folder: Path) -> None:
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert ended.code == 0
    assert "      - name: log-agent\n        image: registry.example.com/log-agent:2.4.1\n" in ended.stdout
    assert [line for line in DEPLOYMENT.splitlines() if line not in ended.stdout.splitlines()] == []
    assert ended.stderr == "injected   web.yaml:2:1 Deployment shop/web  logs (log-agent)\n1 injected\n"
    assert (folder / "web.yaml").read_text() == DEPLOYMENT


def test_what_no_set_matches_leaves_as_it_came(folder: Path) -> None:
    text = DEPLOYMENT.replace("app: web", "app: api") + "---\n" + SERVICE + "...\n# end"
    (folder / "web.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (0, text)
    assert "skipped    web.yaml:2:1 Deployment shop/web  PodNotSelected: logs: " in ended.stderr
    assert ended.stderr.endswith("0 injected, 1 skipped; 1 other object\n")


def test_sets_among_the_paths_count_and_pass_through(folder: Path) -> None:
    (folder / "all.yaml").write_text(DEPLOYMENT + "---\n" + SET)
    ended = run("inject", "all.yaml")
    assert ended.code == 0
    assert ended.stdout.endswith("---\n" + SET)
    assert "log-agent" in ended.stdout.removesuffix(SET)


def test_stdin() -> None:
    ended = run("inject", "-s", "set.yaml", "-", stdin=DEPLOYMENT.encode())
    assert ended.code == 0
    assert "log-agent" in ended.stdout


def test_several_files_are_joined_by_markers_if_needed(folder: Path) -> None:
    (folder / "service.yaml").write_text(SERVICE.rstrip("\n"))
    (folder / "marked.yaml").write_text("---\n" + SERVICE)
    (folder / "directive.yaml").write_text("%YAML 1.1\n---\n" + SERVICE)
    ended = run("inject", "-s", "set.yaml", "service.yaml", "service.yaml", "marked.yaml", "directive.yaml")
    plain = SERVICE.rstrip("\n")
    assert ended.stdout == f"{plain}\n---\n{plain}\n---\n{SERVICE}...\n%YAML 1.1\n---\n{SERVICE}"


def test_in_place_writes_what_changed_and_leaves_the_rest_alone(folder: Path) -> None:
    (folder / "service.yaml").write_text(SERVICE)
    before = (folder / "service.yaml").stat()
    ended = run("inject", "-s", "set.yaml", "-i", "web.yaml", "service.yaml")
    assert (ended.code, ended.stdout) == (0, "")
    assert "log-agent" in (folder / "web.yaml").read_text()
    assert (folder / "service.yaml").stat().st_ino == before.st_ino
    again = run("inject", "-s", "set.yaml", "--check", "web.yaml", "service.yaml")
    assert again.code == 0


def test_in_place_keeps_the_mode_and_the_symlink(folder: Path) -> None:
    (folder / "web.yaml").chmod(0o640)
    (folder / "link.yaml").symlink_to("web.yaml")
    assert run("inject", "-s", "set.yaml", "-i", "link.yaml").code == 0
    assert (folder / "link.yaml").is_symlink()
    assert "log-agent" in (folder / "web.yaml").read_text()
    assert (folder / "web.yaml").stat().st_mode & 0o777 == 0o640


def test_output_folder_gets_all_files_at_their_relative_paths(folder: Path) -> None:
    (folder / "apps" / "deep").mkdir(parents=True)
    (folder / "apps" / "deep" / "web.yml").write_text(DEPLOYMENT)
    (folder / "apps" / "service.yaml").write_text(SERVICE)
    (folder / "apps" / "notes.txt").write_text("no manifest")
    ended = run("inject", "-s", "set.yaml", "-R", "-d", "out", "apps")
    assert (ended.code, ended.stdout) == (0, "")
    assert "log-agent" in (folder / "out" / "deep" / "web.yml").read_text()
    assert (folder / "out" / "service.yaml").read_text() == SERVICE
    assert sorted(path.name for path in (folder / "out").rglob("[!.]*")) == ["deep", "service.yaml", "web.yml"]


def test_check_says_what_would_change_and_writes_nothing() -> None:
    ended = run("inject", "-s", "set.yaml", "--check", "web.yaml")
    assert (ended.code, ended.stdout) == (1, "")
    assert ended.stderr == "to inject  web.yaml:2:1 Deployment shop/web  logs (log-agent)\n1 to inject\n"


def test_diff_is_a_patch_that_git_takes(folder: Path) -> None:
    from subprocess import run as process

    text = DEPLOYMENT + "---\n" + SERVICE + "---\n" + DEPLOYMENT.rstrip("\n")
    (folder / "web.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "--diff", "web.yaml")
    assert ended.code == 0
    wanted = run("inject", "-s", "set.yaml", "web.yaml").stdout
    process(["git", "apply", "-"], input=ended.stdout.encode(), check=True, cwd=folder)
    assert (folder / "web.yaml").read_text() == wanted
    assert run("inject", "-s", "set.yaml", "--diff", "--check", "-").code == 2


def test_diff_with_check_objects() -> None:
    ended = run("inject", "-s", "set.yaml", "--diff", "--check", "web.yaml")
    assert ended.code == 1
    assert ended.stdout.startswith("--- a/web.yaml\n+++ b/web.yaml\n@@ ")


def test_output_json() -> None:
    ended = run("inject", "-s", "set.yaml", "-o", "json", "web.yaml")
    names = [container["name"] for container in json.loads(ended.stdout)["spec"]["template"]["spec"]["containers"]]
    assert names == ["log-agent", "web"]


def test_output_yaml_of_json_is_block_style(folder: Path) -> None:
    (folder / "pod.json").write_text(
        '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[]}}'
    )
    ended = run("inject", "-s", "set.yaml", "-o", "yaml", "pod.json", "web.yaml")
    assert ended.stdout.startswith(
        "---\napiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  containers: []\n---\n# the"
    )


def test_output_name(folder: Path) -> None:
    (folder / "service.yaml").write_text(SERVICE)
    ended = run("inject", "-s", "set.yaml", "-o", "name", "web.yaml", "service.yaml")
    assert ended.stdout == "deployment.apps/web\nservice/web\n"


def test_output_jsonpatch_of_one_object_is_a_bare_array() -> None:
    import jsonpatch
    import yaml

    ended = run("inject", "-s", "set.yaml", "-o", "jsonpatch", "web.yaml")
    patched = jsonpatch.apply_patch(yaml.safe_load(DEPLOYMENT), json.loads(ended.stdout))
    assert patched == yaml.safe_load(run("inject", "-s", "set.yaml", "web.yaml").stdout)


def test_output_jsonpatch_of_several_objects_names_each(folder: Path) -> None:
    (folder / "all.yaml").write_text(
        DEPLOYMENT + "---\n" + SERVICE + "---\n" + DEPLOYMENT.replace("name: web", "name: b")
    )
    patches = json.loads(run("inject", "-s", "set.yaml", "-o", "jsonpatch", "all.yaml").stdout)
    assert [(patch["file"], patch["index"], patch["target"]["name"]) for patch in patches] == [
        ("all.yaml", 0, "web"),
        ("all.yaml", 2, "b"),
    ]


def test_a_jsonpatch_that_does_not_do_what_it_should_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = [{"op": "test", "path": "/kind", "value": "Deployment"}]
    monkeypatch.setattr("sidecarctl.features.inject.documents.json_patch", lambda *_: nothing)
    ended = run("inject", "-s", "set.yaml", "-o", "jsonpatch", "web.yaml")
    assert (ended.code, ended.stdout) == (4, "")
    assert (
        "the JSON patch does not produce the expected result (please report this with the manifest)" in ended.stderr
    )


REFUSED = {
    "not YAML": (BAD_YAML, 2, "web.yaml:3:11: mapping values are not allowed in this context [Syntax]"),
    "a wrong type": (BAD_TYPE, 2, "web.yaml:16:16: Deployment shop/web: spec.template.spec.containers[0].image: "),
    "a pod that Kruise rejects": (REJECTED, 3, "Deployment shop/web: spec.template.metadata.annotations["),
    "a key twice": (
        "kind: Pod\nkind: Pod\n",
        2,
        "web.yaml:2:1: duplicate key 'kind' (first defined on line 1)",
    ),
    "a Helm template": ("kind: Pod\n{{- if .Values.x }}\n{{- end }}\n", 2, "render it with `helm template` first"),
    "no UTF-8": ("kind: \udcff\n", 2, "web.yaml:1:7: the byte 0xff is not valid UTF-8"),
}


@pytest.mark.parametrize(("text", "code", "said"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("options", [(), ("-i",), ("-d", "out"), ("--diff",), ("-o", "json")], ids=" ".join)
def test_a_failure_leaves_stdout_empty_and_files_untouched(
    folder: Path, text: str, code: int, said: str, options: tuple[str, ...]
) -> None:
    (folder / "web.yaml").write_bytes(text.encode(errors="surrogateescape"))
    (folder / "good.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", *options, "good.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (code, "")
    assert said in ended.stderr
    assert (folder / "good.yaml").read_text() == DEPLOYMENT
    assert (folder / "web.yaml").read_bytes() == text.encode(errors="surrogateescape")
    assert not list((folder / "out").glob("*"))
    assert not list(folder.glob(".*.tmp"))


@pytest.mark.parametrize(("text", "code", "said"), REFUSED.values(), ids=REFUSED)
def test_keep_going_writes_the_rest_and_the_failed_as_it_came(folder: Path, text: str, code: int, said: str) -> None:
    (folder / "web.yaml").write_bytes(text.encode(errors="surrogateescape"))
    (folder / "good.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "-i", "--keep-going", "web.yaml", "good.yaml")
    assert ended.code == code
    assert said in ended.stderr
    assert (folder / "web.yaml").read_bytes() == text.encode(errors="surrogateescape")
    assert "log-agent" in (folder / "good.yaml").read_text()


USAGE = {
    "no PATHS": ([], "no PATHS given"),
    "stdin twice": (["-", "-"], "standard input (-) can be read only once"),
    "stdin in place": (["-i", "-"], "standard input (-) cannot be written back"),
    "stdin to a folder": (["-d", "out", "-"], "standard input (-) cannot be written back"),
    "in place and a folder": (["-i", "-d", "out", "web.yaml"], "-i and -d cannot be combined"),
    "check in place": (["-i", "--check", "web.yaml"], "--check writes nothing"),
    "a form in place": (["-i", "-o", "json", "web.yaml"], "cannot be combined with -i"),
    "no such file": (["nope.yaml"], "nope.yaml: cannot be read: No such file or directory [UnreadableFile]"),
    "no such set": (["--only", "x", "web.yaml"], "--only x: SidecarSet not found (SidecarSets: logs)"),
    "no time": (["--timestamp", "soon", "web.yaml"], "--timestamp soon is not a time"),
    "no gate": (["--feature-gates", "X=true", "web.yaml"], "--feature-gates X is unknown (those"),
    "no template path": (["--template-path", "x", "web.yaml"], '"x" is not KIND.GROUP=PATH'),
    "no manifest": (["empty"], "no manifest found in empty"),
}


@pytest.mark.parametrize(("arguments", "said"), USAGE.values(), ids=USAGE)
def test_usage_errors(folder: Path, arguments: list[str], said: str) -> None:
    (folder / "empty").mkdir()
    ended = run("inject", "-s", "set.yaml", *arguments)
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr
    assert (folder / "web.yaml").read_text() == DEPLOYMENT


def test_no_sidecarset_at_all() -> None:
    ended = run("inject", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "no SidecarSet found in the inputs" in ended.stderr
    assert run("inject", "web.yaml", "--allow-empty").stdout == DEPLOYMENT


def test_yaml_and_json_in_one_stream_need_a_form(folder: Path) -> None:
    (folder / "service.json").write_text('{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}}')
    ended = run("inject", "-s", "set.yaml", "web.yaml", "service.json")
    assert (ended.code, ended.stdout) == (2, "")
    assert "use -o yaml or -o json" in ended.stderr


def test_a_set_that_cannot_be_decoded(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("image: registry.example.com/log-agent:2.4.1", "image: [1]"))
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--keep-going")
    assert (ended.code, ended.stdout) == (2, "")
    assert "set.yaml:11:12: SidecarSet logs: spec.containers[0].image: expected a string, got a list" in ended.stderr


def test_two_sets_of_one_name(folder: Path) -> None:
    (folder / "other.yaml").write_text(SET.replace("2.4.1", "2.5.0"))
    ended = run("inject", "-s", "set.yaml", "-s", "other.yaml", "web.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert (
        "other.yaml:4:9: SidecarSet logs: metadata.name: SidecarSet logs is also defined in set.yaml:1:1"
        in ended.stderr
    )
    assert run("inject", "-s", "set.yaml", "-s", "set.yaml", "web.yaml").code == 0


def test_strict_objects_to_warnings(folder: Path) -> None:
    (folder / "set.yaml").write_text(SET.replace("  containers:", "  container: []\n  containers:"))
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--strict")
    assert ended.code == 1
    assert ended.stdout == ""  # what Kruise would drop or refuse is not injected under --strict
    assert (
        "spec.container: unknown field container; the API server drops it (did you mean containers?)" in ended.stderr
    )
    assert run("inject", "-s", "set.yaml", "web.yaml").code == 0


def test_timestamp_from_the_option_and_the_environment() -> None:
    asked = run("inject", "-s", "set.yaml", "web.yaml", "--timestamp", "2026-02-03T04:05:06+01:00")
    assert '"updateTimestamp":"2026-02-03T03:05:06Z"' in asked.stdout
    epoch = run("inject", "-s", "set.yaml", "web.yaml", env={"SOURCE_DATE_EPOCH": "1767225600"})
    assert '"updateTimestamp":"2026-01-01T00:00:00Z"' in epoch.stdout
    assert run("inject", "-s", "set.yaml", "web.yaml", env={"SOURCE_DATE_EPOCH": "x"}).code == 2
    assert '"updateTimestamp":null' in run("inject", "-s", "set.yaml", "web.yaml").stdout
    assert run("inject", "-s", "set.yaml", "web.yaml", "--timestamp", "now").code == 0


def test_options_from_the_environment() -> None:
    ended = run("inject", "web.yaml", env={"SIDECARCTL_SIDECARSETS": "set.yaml", "SIDECARCTL_CHECK": "1"})
    assert ended.code == 1


def test_verbose_says_each_decision_and_quiet_only_errors(folder: Path) -> None:
    verbose = run("inject", "-s", "set.yaml", "web.yaml", "-v")
    assert "logs: Injected: the namespace and the selector match (set.yaml:7:5)" in verbose.stderr
    reported = run("inject", "-s", "set.yaml", "web.yaml", "-v", "--report", "json=r.json")
    assert reported.code == 0
    document = json.loads((folder / "r.json").read_text())
    assert_valid(document, "run-report.json")
    assert document["objects"][0]["decisions"] == [
        {
            "sidecarSet": "logs",
            "reason": "Injected",
            "message": "the namespace and the selector match",
            "template": "spec.template",
            "file": "set.yaml",
            "line": 7,
            "column": 5,
        }
    ]
    assert run("inject", "-s", "set.yaml", "web.yaml", "-q").stderr == ""
    (folder / "other.yaml").write_text(SET.replace("app: web", "app: other"))
    other = run("inject", "-s", "other.yaml", "web.yaml", "-v").stderr
    assert 'does not match the pod\'s labels: the pod\'s label app is "web", expected "other" (other.yaml:' in other
    (folder / "web.yaml").write_text(BAD_TYPE)
    assert "WrongType" in run("inject", "-s", "set.yaml", "web.yaml", "-q").stderr


def test_template_path_of_another_kind(folder: Path) -> None:
    game = DEPLOYMENT.replace("apps/v1", "example.com/v1").replace("Deployment", "Game").replace("template", "pod")
    (folder / "web.yaml").write_text(game)
    assert run("inject", "-s", "set.yaml", "web.yaml").stdout == game
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--template-path", "Game.example.com=spec.pod")
    assert "log-agent" in ended.stdout


def test_namespace_of_objects_that_name_none(folder: Path) -> None:
    (folder / "set.yaml").write_text(
        SET + "  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: blue}}\n"
    )
    (folder / "web.yaml").write_text(DEPLOYMENT.replace("  namespace: shop\n", ""))
    assert "log-agent" in run("inject", "-s", "set.yaml", "web.yaml", "-n", "blue").stdout
    assert "log-agent" not in run("inject", "-s", "set.yaml", "web.yaml").stdout


def test_revision_from_older_manifests(folder: Path) -> None:
    (folder / "old.yaml").write_text(SET.replace("2.4.1", "1.0.0").replace("spec:", "spec:\n  customVersion: v1"))
    (folder / "set.yaml").write_text(SET + "  injectionStrategy: {revision: {customVersion: v1}}\n")
    missing = run("inject", "-s", "set.yaml", "web.yaml")
    assert (missing.code, missing.stdout) == (3, "")
    assert "no usable revision of custom version" in missing.stderr
    found = run("inject", "-s", "set.yaml", "web.yaml", "--revision-from", "old.yaml")
    assert "image: registry.example.com/log-agent:1.0.0" in found.stdout


def test_a_list_is_edited_in_place(folder: Path) -> None:
    item = "".join(f"  {line}\n" for line in DEPLOYMENT.splitlines())
    text = "apiVersion: v1\nkind: List\nitems:\n-" + item[1:].replace("# the shop's front\n", "# first\n", 1)
    (folder / "web.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "web.yaml")
    assert ended.code == 0
    assert "injected   web.yaml:5:3 Deployment shop/web  logs (log-agent)" in ended.stderr
    assert [line for line in text.splitlines() if line not in ended.stdout.splitlines()] == []


def test_many_files_are_spread_over_the_cores(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []

    def spread(work: Callable[[Any], Any], batches: Iterable[Any], jobs: int) -> Generator[Any, None, None]:
        used.append(jobs)
        return spread_over_workers(work, batches, jobs)

    monkeypatch.setattr("sidecarctl.features.inject.run.spread_over_workers", spread)
    monkeypatch.setattr("sidecarctl.engine.files.workers.usable_cores", lambda: 2)
    (folder / "apps").mkdir()
    for number in range(200):
        (folder / "apps" / f"web-{number}.yaml").write_text(DEPLOYMENT.replace("name: web", f"name: web-{number}"))
    words = ["inject", "-s", "set.yaml", "apps"]
    ends = [
        run(*words),
        run(*words, "-j", "1"),
        run("inject", "-s", "set.yaml", "apps/web-0.yaml", "apps/web-1.yaml"),
    ]
    assert used == [2, 1, 1]
    assert ends[0] == ends[1]
    assert ends[0].code == 0


@pytest.mark.slow
def test_what_is_not_parsed_keeps_its_place_among_the_results_of_workers(folder: Path) -> None:
    (folder / "apps").mkdir()
    data = f"data:\n  text: {'x' * 30_000}\n"
    for number in range(120):
        other = f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other-{number}\n{data}"
        workload = DEPLOYMENT.replace("name: web", f"name: web-{number}") + data.replace("data", "# data", 1)
        texts = [other, workload, f"{other}---\n{workload}"]
        (folder / "apps" / f"{number:03}.yaml").write_text(texts[number // 20 % 3].replace("  text:", "#"))
    one, two = (run("inject", "-s", "set.yaml", "apps", "-j", jobs) for jobs in ("1", "2"))
    assert (one.code, two) == (0, one)


@pytest.mark.slow
def test_workers_give_the_same_bytes(folder: Path) -> None:
    text = "---\n".join(DEPLOYMENT.replace("name: web", f"name: web-{number}") for number in range(700))
    (folder / "web.yaml").write_text(text)
    alone = run_process("inject", "-s", "set.yaml", "web.yaml", cwd=folder)
    spread = run_process("inject", "-s", "set.yaml", "-j", "2", "web.yaml", cwd=folder)
    assert alone.code == 0
    assert alone == spread


def test_names_are_printed_without_control_characters(folder: Path) -> None:
    (folder / "web.yaml").write_text(
        DEPLOYMENT.replace("name: web\n  namespace", 'name: "a\\e[31mb\\nc"\n  namespace')
    )
    ended = run("inject", "-s", "set.yaml", "web.yaml", "-o", "name")
    assert ended.stdout == "deployment.apps/a\ufffd[31mb\ufffdc\n"


def test_an_edit_that_would_lose_a_comment_writes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of ours is invented: a splice takes the comment of the app's container along."""
    real = document_edits.edited_text

    def too_much(document: Document, edits: Sequence[Edit]) -> EditedText:
        edited = real(document, edits)
        comment = "      # the app\n"
        at = document.text.index(comment)
        around = next(part for part in edited.kept if part.start <= at < part.end)
        before = around._replace(end=at)
        after = Unchanged(at + len(comment), around.end, around.moved + at - around.start)
        shorter = [part for part in edited.kept if part.end <= at]
        later = [part._replace(moved=part.moved - len(comment)) for part in edited.kept if part.start > at]
        return edited._replace(text=edited.text.replace(comment, ""), kept=[*shorter, before, after, *later])

    monkeypatch.setattr(document_edits, "edited_text", too_much)
    ended = run("inject", "-s", "set.yaml", "web.yaml", "-i")
    assert ended.code == 4
    assert "the comment in line 14 would be lost" in ended.stderr
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
