"""Files of folders that are certainly no manifests, and cannot be read: a counted note."""

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import Ended, run

STRANGE = {
    "tsconfig.json": '{\n  // compiler\n  "compilerOptions": {"strict": true}\n}\n',
    "travis.yml": "script: a\nscript: b\n",
    "values.yaml": "replicas: 1\nextraObjects:\n  - apiVersion: v1\n    kind: Secret\na: b: c\n",
    "more.yaml": "pod:\n  apiVersion: v1\n  spec: {}\nreplicas: 1\nreplicas: 2\n",
    "page.yaml": "{% for item in items %}\nname: {{ item }}\n{% endfor %}\n",
}
BROKEN = [
    "apiVersion: v1\nkind: [\n",
    '{"apiVersion": "v1", "kind": [}\n',
    "- apiVersion: v1\n  a: b: c\n",
    "---apiVersion: v1\na: b: c\n",
    '{\n  "apiVersion": "v1",\n  "kind": [}\n',
    "  apiVersion: v1\n  a: b: c\n",
    "values: 1\n---\n# a comment\n'apiVersion': v1\na: b: c\n",
]
COMMANDS = ["inject --check -s set.yaml", "diff --before ../before --after", "validate", "status", "cost"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for tree in ("before", "after"):
        (tmp_path / tree).mkdir()
        (tmp_path / tree / "set.yaml").write_text(SET)
        (tmp_path / tree / "web.yaml").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path / "after")
    return tmp_path


def asked(command: str) -> Ended:
    return run(*command.split(), ".")


@pytest.mark.parametrize("command", COMMANDS)
def test_they_are_counted_and_the_rest_is_read(command: str) -> None:
    plain = asked(command)
    for name, text in STRANGE.items():
        Path(name).write_text(text)
    ended = asked(command)
    assert (ended.code, "error" in ended.stderr) == (plain.code, False), ended.stderr
    said = ended.stdout + ended.stderr
    assert "without apiVersion, which cannot be read: " in said
    assert "tsconfig.json" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_the_hint_is_a_command_that_says_what_is_wrong(command: str) -> None:
    Path("the script.yml").write_text(STRANGE["travis.yml"])
    ended = asked(command)
    [advised] = re.findall(
        r"\(`sidecarctl ([^`]+)` says what is wrong in it\)", " ".join((ended.stdout + ended.stderr).split())
    )
    assert "the script.yml:2:" in run(*shlex.split(advised)).stderr


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("text", BROKEN)
def test_what_may_be_a_manifest_stays_an_error(command: str, text: str) -> None:
    Path("odd.yaml").write_text(text)
    assert asked(command).code == 2


@pytest.mark.parametrize("name", STRANGE)
def test_a_named_file_stays_an_error(name: str) -> None:
    Path(name).write_text(STRANGE[name])
    assert run("inject", "--check", "-s", "set.yaml", name, "web.yaml").code == 2
    assert run("validate", "set.yaml", name).code == 2


def test_an_address_is_read_by_curl() -> None:
    ended = run("inject", "-s", "set.yaml", "https://example.com/web.yaml")
    assert (ended.code, "(curl -L https://example.com/web.yaml | sidecarctl ... -)" in ended.stderr) == (2, True)
