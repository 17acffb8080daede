"""Hostile input: a clear error with empty stdout and untouched files, or harmless; never a traceback."""

import json
import os
import threading
from pathlib import Path

import pytest

from sidecarctl.engine.documents.reading.streams import split
from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run, run_process

POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {app: web}}\nspec: {containers: [{name: a, image: i}]}\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def bomb(levels: int) -> str:
    """Each level has nine aliases of the one before."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]" for level in range(1, levels)]
    return "\n".join(lines) + "\n"


def merge_bomb(levels: int) -> str:
    lines = ["a0: &a0 {k0: &v0 [1, 2, 3, 4, 5, 6, 7, 8, 9]}"]
    for level in range(1, levels):
        inner = ", ".join(f"k{level}{number}: *v{level - 1}" for number in range(9))
        lines.append(f"a{level}: &a{level} {{<<: *a{level - 1}, n{level}: &v{level} {{{inner}}}}}")
    return "\n".join(lines) + "\n"


REFUSED: dict[str, tuple[bytes, str]] = {
    "an alias bomb": (POD.encode() + bomb(12).encode(), "[ExcessiveAliasing]"),
    "an alias bomb of merge keys": (POD.encode() + merge_bomb(12).encode(), "[ExcessiveAliasing]"),
    "an alias inside its own anchor": (POD.encode() + b"x: &a [*a]\n", "is inside its own anchor"),
    "an alias of nothing": (POD.encode() + b"x: *a\n", "the anchor &a is not defined"),
    "deep flow": (POD.encode() + b"x: " + b"[" * 5000 + b"]" * 5000 + b"\n", "[TooDeep]"),
    "deep blocks": (
        POD.encode() + b"x:\n" + b"".join(b" " * depth + b"a:\n" for depth in range(1, 1500)),
        "[TooDeep]",
    ),
    "deep dashes": (POD.encode() + b"x:\n" + b"- " * 5000 + b"a\n", "[TooDeep]"),
    "deep JSON": (b'{"kind":"Pod","x":' + b"[" * 20_000 + b"]" * 20_000 + b"}", "[TooDeep]"),
    "an unclosed bracket many times": (b"x: " + b"[" * 3000, "Syntax]"),
    "a key twice": (POD.encode() + b"kind: Pod\n", "[DuplicateKey]"),
    "a key twice in JSON": (b'{"kind": "Pod", "kind": "Pod"}', "[DuplicateKey]"),
    "a key twice, spelled twice": (b"kind: Pod\n0x10: a\n16: b\n", "[DuplicateKey]"),
    "NUL bytes": (POD.encode() + b"x: \0\n", "the character U+0000 is not allowed"),
    "a control character": (POD.encode() + b"x: \x1b[31m\n", "the character U+001B is not allowed"),
    "bytes that are no UTF-8": (POD.encode() + b"x: \xc3(\n", "is not valid UTF-8 [NotUtf8]"),
    "half a character at the end": (POD.encode() + b"x: \xe2\x82", "is not valid UTF-8 [NotUtf8]"),
    "surrogates": (POD.encode() + b"x: \xed\xa0\x80\n", "is not valid UTF-8 [NotUtf8]"),
    "half a surrogate pair in JSON": (b'{"kind": "Pod", "x": "\\ud800"}', "Syntax]"),
    "UTF-16": (("\ufeff" + POD).encode("utf-16-le"), "the file is UTF-16 (save it as UTF-8) [NotUtf8]"),
    "UTF-16 without a mark": (POD.encode("utf-16-le"), "the file is UTF-16 (save it as UTF-8) [NotUtf8]"),
    "UTF-16 without a mark, the other end first": (POD.encode("utf-16-be"), "the file is UTF-16"),
    "UTF-32": (("\ufeff" + POD).encode("utf-32-le"), "the file is UTF-32 (save it as UTF-8) [NotUtf8]"),
    "UTF-32, the other end first": (("\ufeff" + POD).encode("utf-32-be"), "the file is UTF-32"),
    "UTF-32 without a mark": (POD.encode("utf-32-le"), "the file is UTF-32"),
    "UTF-32 without a mark, the other end first": (POD.encode("utf-32-be"), "the file is UTF-32"),
    "UTF-16, the other end first": (("\ufeff" + POD).encode("utf-16-be"), "the file is UTF-16"),
    "text cut in a string": (POD.encode() + b'x: "abc\n', "[Syntax]"),
    "text cut in a mapping": (b'{"kind": "Pod", "metadata": {"name"', "[Syntax]"),
    "a Helm template": (
        b"kind: Pod\nspec:\n  {{- toYaml .Values | nindent 2 }}\n",
        "`helm template` first) [HelmTemplate]",
    ),
    "a Helm template in a value": (b"kind: Pod\nmetadata:\n  name: {{ .Release.Name }}-a\n", "[HelmTemplate]"),
    "a tab for indentation": (b"kind: Pod\nmetadata:\n\tname: a\n", "indent with spaces, not tabs) [Syntax]"),
    "infinity": (POD.encode() + b"x: .inf\n", "is not a number that Kubernetes accepts"),
    "a tag that does not fit": (POD.encode() + b"x: !!int abc\n", "is not a valid value for the tag"),
    "binary that is none": (POD.encode() + b"x: !!binary '*'\n", "is not a valid value for the tag"),
    "a mapping as a key": (POD.encode() + b"? {a: b}\n: c\n", "a key must be a string"),
    "null as a key": (POD.encode() + b"~: c\n", "a key must be a string, not null"),
    "a merge of a text": (POD.encode() + b"<<: text\n", "a merge key takes a mapping"),
    "a merge of a list by its alias": (POD.encode() + b"x: &x [{}]\n<<: *x\n", "a merge key takes a mapping"),
    "a Helm template behind a quoted key": (b'kind: Pod\n"a:b c": {{ .Values.x }}\n', "[HelmTemplate]"),
    "a directive that is none": (b"%YAML 9.9\n---\n" + POD.encode(), "[Syntax]"),
    "a tag handle that is none": (POD.encode() + b"x: !e!x a\n", "[Syntax]"),
    "a list of containers that is a text": (
        POD.replace("[{name: a, image: i}]", "text").encode(),
        "[WrongType]",
    ),
    "labels that are a list": (POD.replace("{app: web}", "[app, web]").encode(), "[WrongType]"),
}


@pytest.mark.parametrize(("data", "said"), REFUSED.values(), ids=REFUSED)
def test_refused_with_a_place_and_nothing_written(folder: Path, data: bytes, said: str) -> None:
    (folder / "bad.yaml").write_bytes(data)
    for options in ([], ["-i"]):
        ended = run("inject", "-s", "set.yaml", *options, "web.yaml", "bad.yaml")
        assert (ended.code, ended.stdout) == (2, "")
        assert said in ended.stderr
        assert "bad.yaml:" in ended.stderr
        assert len(ended.stderr) < 2000
        assert_printable(ended)
        assert (folder / "bad.yaml").read_bytes() == data
        assert (folder / "web.yaml").read_text() == DEPLOYMENT


def assert_printable(ended: Ended) -> None:
    strange = {char for char in ended.stderr if not (char.isprintable() or char == "\n")}
    assert not strange


HARMLESS: dict[str, str] = {
    "a huge scalar": POD + f"x: {'a' * 1_000_000}\n",
    "a huge key": POD + f"? {'k' * 100_000}\n: v\n",
    "a huge number": POD + f"x: {'9' * 50_000}\n",
    "a huge number of digits after the point": POD + f"x: 1.{'3' * 50_000}e5\n",
    "a huge octal": POD + f"x: 0o{'7' * 50_000}\n",
    "many documents": POD + "---\n" * 3000 + POD,
    "many ends": POD + "...\n" * 2000,
    "many ends with comments": POD + f"... #{' c' * 40}\n" * 1000,
    "many keys": POD + "".join(f"k{number}: 1\n" for number in range(4000)),
    "many anchors": POD + "".join(f"k{number}: &a{number} 1\n" for number in range(1000)),
    "many comments": POD + "# c\n" * 20_000,
    "many blanks": POD + " \n" * 20_000 + " " * 100_000,
    "a long flow line": POD + f"x: [{','.join(['1'] * 10_000)}]\n",
    "a wide indentation": POD + f"x:\n{' ' * 900}a: 1\n",
    "a kind that is no text": "apiVersion: [v1]\nkind: {a: b}\nmetadata: 5\n---\n" + POD,
    "a List whose items are no objects": "apiVersion: v1\nkind: List\nitems: [1, null, [], text]\n---\n" + POD,
    "a List in a List": "apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: []}]\n---\n" + POD,
    "aliases within the allowance": POD + bomb(4),
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS)
def test_harmless(folder: Path, text: str) -> None:
    (folder / "web.yaml").write_text(text)
    ended = run("inject", "-s", "set.yaml", "-q", "web.yaml")
    assert ended.code == 0
    assert "log-agent" in ended.stdout
    (folder / "web.yaml").write_text(ended.stdout)
    assert run("uninject", "-s", "set.yaml", "-q", "web.yaml").stdout == text


def test_many_comments_first_with_crlf(folder: Path) -> None:
    text = ("# c\r\n" * 20_000 + POD.replace("\n", "\r\n")).encode()
    (folder / "web.yaml").write_bytes(text)
    for command in ("inject", "uninject"):
        assert run(command, "-s", "set.yaml", "-q", "-i", "web.yaml").code == 0
        assert ((folder / "web.yaml").read_bytes() == text) is (command == "uninject")


@pytest.mark.slow
def test_many_ends_are_cut() -> None:
    # Less than a second; hours where each end looks as far as the last line.
    assert sum(1 for _ in split([b"...\n" * 1_000_000], 1 << 30)) == 1_000_000


NAMES = {
    "ANSI colors": r'"\e[31mred\e[0m"',
    "a window title": r'"\e]0;pwned\a"',
    "a carriage return": r'"a\rinjected   Deployment b"',
    "a line feed": r'"a\n1 injected"',
    "text written backwards": '"\\u202Egpj.exe"',
    "C1 controls": r'"\x9b31m"',
    "zero width": '"a\\u200Bb"',
    "a separator of lines": '"a\\u2028b"',
    "a tab and a bell": r'"a\t\a"',
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_names_do_not_reach_the_terminal_as_they_are(folder: Path, name: str) -> None:
    (folder / "web.yaml").write_text(DEPLOYMENT.replace("name: web\n  namespace", f"name: {name}\n  namespace"))
    for verbose in ([], ["-v"]):
        ended = run("inject", "-s", "set.yaml", *verbose, "web.yaml")
        assert ended.code == 0
        assert not {"\x1b", "\x07", "\r", "\t", "\x9b", "\u202e", "\u200b", "\u2028"} & set(ended.stderr)
        assert len([line for line in ended.stderr.split("\n") if line.startswith("injected   ")]) == 1
    (folder / "web.yaml").write_text(f"kind: Pod\n{name}: 1\n{name}: 2\n")
    assert_printable(run("inject", "-s", "set.yaml", "web.yaml"))


def test_file_names_do_not_reach_the_terminal_as_they_are(folder: Path) -> None:
    (folder / "\x1b[31m\u202e.yaml").write_text("apiVersion: v1\nkind: [\n")
    ended = run("inject", "-s", "set.yaml", "-R", ".")
    assert ended.code == 2
    assert_printable(ended)


def test_the_size_limit(folder: Path) -> None:
    (folder / "large.yaml").write_text(POD + f"x: {'a' * (1 << 20)}\n---\n" + POD)
    ended = run("inject", "-s", "set.yaml", "--max-document-size", "1", "-i", "web.yaml", "large.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert "large.yaml" in ended.stderr
    assert "(--max-document-size raises the limit) [TooLarge]" in ended.stderr
    assert (folder / "web.yaml").read_text() == DEPLOYMENT
    assert run("inject", "-s", "set.yaml", "--max-document-size", "2", "large.yaml").code == 0


# Files


def test_a_link_that_leads_out_of_the_output_folder(folder: Path) -> None:
    (folder / "outside").mkdir()
    (folder / "in" / "sub").mkdir(parents=True)
    (folder / "in" / "sub" / "web.yaml").write_text(DEPLOYMENT)
    (folder / "out").mkdir()
    (folder / "out" / "sub").symlink_to(folder / "outside")
    ended = run("inject", "-s", "set.yaml", "-R", "-d", "out", "in")
    assert (ended.code, ended.stdout) == (3, "")
    assert "a symbolic link points outside the folder" in ended.stderr
    assert not list((folder / "outside").iterdir())


def test_a_linked_file_in_the_output_folder(folder: Path) -> None:
    (folder / "precious").write_text("old")
    (folder / "out").mkdir()
    (folder / "out" / "web.yaml").symlink_to(folder / "precious")
    ended = run("inject", "-s", "set.yaml", "-d", "out", "web.yaml")
    assert (ended.code, ended.stdout) == (3, "")
    assert (folder / "precious").read_text() == "old"


@pytest.mark.parametrize("paths", [["a", "b"], ["a/web.yaml", "b/web.yaml"], ["a", "a/web.yaml"]], ids=" ".join)
def test_two_files_do_not_take_one_place_in_the_output_folder(folder: Path, paths: list[str]) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "-d", "out", *paths)
    assert (ended.code, ended.stdout) == (2, "")
    assert f"a/web.yaml and {paths[1][0]}/web.yaml would both be written to out/web.yaml" in ended.stderr
    assert not (folder / "out").exists()
    assert run("inject", "-s", "set.yaml", "-d", "out", "-R", ".").code == 0
    assert sorted(path.parent.name for path in (folder / "out").rglob("web.yaml")) == ["a", "b", "out"]


def test_a_folder_in_the_place_of_a_file(folder: Path) -> None:
    (folder / "in").mkdir()
    for name in ("a.yaml", "b.yaml"):
        (folder / "in" / name).write_text(DEPLOYMENT)
    (folder / "out" / "b.yaml").mkdir(parents=True)
    ended = run("inject", "-s", "set.yaml", "-d", "out", "in")
    assert (ended.code, ended.stdout) == (3, "")
    assert "out/b.yaml: cannot be written: a folder with this name exists [UnwritableFile]" in ended.stderr
    assert [path.name for path in (folder / "out").rglob("*")] == ["b.yaml"]


def test_parents_in_paths_stay_inside_the_output_folder(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "web.yaml").write_text(DEPLOYMENT)
    assert run("inject", "-s", "set.yaml", "-d", "out", "a/b/../web.yaml").code == 0
    assert [path.name for path in (folder / "out").rglob("[!.]*")] == ["web.yaml"]
    assert (folder / "a" / "web.yaml").read_text() == DEPLOYMENT


def test_the_output_folder_is_the_input(folder: Path) -> None:
    (folder / "apps").mkdir()
    (folder / "apps" / "web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "-d", "apps", "apps")
    assert ended.code in (0, 2)
    text = (folder / "apps" / "web.yaml").read_text()
    assert text == DEPLOYMENT or "log-agent" in text
    assert [path.name for path in (folder / "apps").iterdir()] == ["web.yaml"]


@pytest.mark.parametrize("target", ["link.yaml", "nowhere", "web.yaml/x"], ids=["a loop", "dangling", "not a folder"])
def test_links_that_lead_nowhere(folder: Path, target: str) -> None:
    (folder / "link.yaml").symlink_to(target)
    for paths in (["link.yaml"], ["."]):
        for options in ([], ["-i"], ["-d", "out"]):
            ended = run("inject", "-s", "set.yaml", *options, *paths)
            assert (ended.code, ended.stdout) == (2, "")
            assert "link.yaml: cannot be read: " in ended.stderr
    assert (folder / "web.yaml").read_text() == DEPLOYMENT


@pytest.mark.parametrize("option", [["-i"], ["-d", "out"]])
def test_a_pipe_is_not_awaited_if_nothing_can_be_written_back(folder: Path, option: list[str]) -> None:
    os.mkfifo(folder / "pipe")
    ended = run("inject", "-s", "set.yaml", *option, "pipe")
    assert (ended.code, ended.stdout) == (2, "")
    assert "pipe is not a file that can be written back" in ended.stderr


def test_a_linked_folder_is_not_walked_into(folder: Path) -> None:
    (folder / "apps").mkdir()
    (folder / "apps" / "loop").symlink_to(folder)
    (folder / "apps" / "web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "-R", "-i", "apps")
    assert ended.code == 0
    assert (folder / "web.yaml").read_text() == DEPLOYMENT


def test_a_folder_named_like_a_manifest(folder: Path) -> None:
    (folder / "apps" / "x.yaml").mkdir(parents=True)
    (folder / "apps" / "web.yaml").write_text(DEPLOYMENT)
    ended = run("inject", "-s", "set.yaml", "apps")
    assert ended.code == 0
    assert "log-agent" in ended.stdout


@pytest.mark.parametrize("words", [["-s", "set.yaml", "pipe"], ["-s", "pipe", "web.yaml"]], ids=["PATHS", "-s"])
def test_a_pipe_can_be_named(folder: Path, words: list[str]) -> None:
    os.mkfifo(folder / "pipe")
    text = SET if words[1] == "pipe" else DEPLOYMENT
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(text,), daemon=True)
    writer.start()
    ended = run("inject", *words)
    assert ended.code == 0
    assert "log-agent" in ended.stdout


@pytest.mark.parametrize("options", [["-i"], ["-d", "out"]], ids=" ".join)
def test_a_pipe_cannot_be_written_back(folder: Path, options: list[str]) -> None:
    os.mkfifo(folder / "pipe")
    writer = threading.Thread(target=(folder / "pipe").write_text, args=(DEPLOYMENT,), daemon=True)
    writer.start()
    ended = run("inject", "-s", "set.yaml", *options, "pipe")
    assert (ended.code, ended.stdout) == (2, "")
    assert "pipe is not a file that can be written back" in ended.stderr
    assert (folder / "pipe").is_fifo()


def test_a_pipe_in_a_folder_is_not_awaited(folder: Path) -> None:
    (folder / "apps").mkdir()
    os.mkfifo(folder / "apps" / "x.yaml")
    ended = run("inject", "-s", "set.yaml", "apps")
    assert (ended.code, ended.stdout) == (2, "")
    assert "x.yaml is not a regular file" in ended.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    (folder / "apps").mkdir()
    (folder / "apps" / "web.yaml").write_text(DEPLOYMENT)
    (folder / "apps").chmod(0o555)
    ended = run("inject", "-s", "set.yaml", "-i", "apps")
    (folder / "apps").chmod(0o755)
    assert (ended.code, ended.stdout) == (3, "")
    assert "cannot be written" in ended.stderr


def test_a_read_only_file_keeps_its_mode(folder: Path) -> None:
    (folder / "web.yaml").chmod(0o444)
    ended = run("inject", "-s", "set.yaml", "-i", "web.yaml")
    assert ended.code == 0
    assert (folder / "web.yaml").stat().st_mode & 0o777 == 0o444


def test_standard_input_is_read_once() -> None:
    for words in (["-", "-"], ["-s", "-", "-"], ["-i", "-"], ["-d", "out", "-"]):
        ended = run("inject", *words, stdin=DEPLOYMENT.encode())
        assert (ended.code, ended.stdout) == (2, "")


def test_names_that_look_like_options(folder: Path) -> None:
    (folder / "--in-place").write_text("apiVersion: v1\nkind: [\n")
    ended = run("inject", "-s", "set.yaml", "web.yaml", "--", "--in-place")
    assert ended.code == 2
    assert (folder / "web.yaml").read_text() == DEPLOYMENT


@pytest.mark.slow
def test_no_traceback_from_a_process_of_its_own(folder: Path) -> None:
    (folder / "deep.json").write_text('{"kind":"Pod","spec":' + '{"a":' * 3000 + "1" + "}" * 3001)
    ended = run_process("inject", "-s", "set.yaml", "deep.json", cwd=folder)
    assert (ended.code, ended.stdout) == (2, "")
    assert "Traceback" not in ended.stderr


def test_a_dump_of_escapes_survives_as_json(folder: Path) -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "\x1b[31m", "labels": {"app": "web"}}}
    (folder / "pod.json").write_text(json.dumps({**pod, "spec": {"containers": []}}))
    ended = run("inject", "-s", "set.yaml", "-o", "json", "pod.json")
    assert ended.code == 0
    assert json.loads(ended.stdout)["metadata"]["name"] == "\x1b[31m"
    assert "\x1b" not in ended.stderr
