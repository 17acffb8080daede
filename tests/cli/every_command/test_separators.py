"""A missing `---`, and one that is glued to the next line, are named as what they are."""

from pathlib import Path

import pytest

from tests.cli.manifests import SET
from tests.cli.running import run

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: web, image: web}]}\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: s}\n"
GLUED = "put a line break after ---"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            f"{MAP}{POD}",
            "bad.yaml:4:1: duplicate key 'apiVersion' (first defined on line 1) (write --- above line 4, if",
        ),
        (
            f"{MAP}---\n{MAP}{POD}",
            "bad.yaml:8:1: duplicate key 'apiVersion' (first defined on line 5) (write --- above",
        ),
        (
            "kind: Pod\napiVersion: v1\nkind: Pod\n",
            "duplicate key 'kind' (first defined on line 1) (write --- above line 3",
        ),
        (
            f"{MAP}---{POD}",
            f"duplicate key 'kind' (first defined on line 2) ({GLUED} on line 4: it is taken for a part",
        ),
        (f"---{POD}", f"apiVersion is missing: ---apiVersion is another key (such as v1: {GLUED})"),
        (f"{POD}metadata: {{}}\n", "duplicate key 'metadata' (first defined on line 3) (remove one)"),
        (f"{MAP}data:\n  kind: a\n  kind: b\n", "duplicate key 'kind' (first defined on line 5) (remove one)"),
        (f"{MAP}data: {{kind: a, kind: b}}\n", "duplicate key 'kind' (first defined at column 8) (remove one)"),
    ],
)
def test_the_separator_is_named(text: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(SET)
    Path("bad.yaml").write_text(text)
    ended = run("inject", "--strict-yaml", "-s", "set.yaml", "bad.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_a_glued_sidecarset_is_named_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("set.yaml").write_text(f"---{SET}")
    ended = run("validate", "set.yaml")
    assert GLUED in ended.stdout + ended.stderr
