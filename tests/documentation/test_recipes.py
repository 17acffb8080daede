"""Each recipe of the docs for a dump: on what it gets from a cluster, the commands of its page answer right."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.unknown_namespaces import DUMP
from tests.cli.running import run
from tests.documentation.examples import DOCS, ROOT
from tests.engine.rollout.manifests import pod, sidecarset

_RECIPE = re.compile(r"kubectl\s+get\s+([a-z.]+(?:,[a-z.]+)*)(?:\s+-A)?\s+-o\s+json")
_COMMANDS: Mapping[str, Sequence[str]] = {
    "plan": ("new.yaml", "pods.json"),
    "status": ("new.yaml", "pods.json"),
    "drift": ("old.yaml", "pods.json"),
    "images": ("new.yaml", "pods.json"),
    "cost": ("new.yaml", "pods.json"),
    "diff": ("old.yaml", "new.yaml", "pods.json"),
    "explain": ("-s", "new.yaml", "pods.json"),
}
"""The commands that read a dump, where a page only names them."""
_NAMES = re.compile(rf"(?:sidecarctl |`)({'|'.join(_COMMANDS)})\b")
_BY_LABEL: Object = {"matchLabels": {"team": "shop"}}
_BY_NAME: Object = {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}
"""The same namespaces, by a label that every Namespace has by itself, so that the pods alone decide."""


class Recipe(NamedTuple):
    """The kinds that a recipe gets, and a command that uses them."""

    page: str
    kinds: tuple[str, ...]
    command: tuple[str, ...]


def _recipes(page: Path) -> Iterator[Recipe]:
    """The recipes of a page with pods, each with the commands that name its file, or that its section names."""
    text = page.read_text().replace("mesh/proxy=proxy", "logs/agent=agent").replace(" proxy=proxy", " agent=agent")
    lines = re.findall(r"(?m)^\s*(?:\$ )?sidecarctl ([^#\n]* pods\.json[^#\n]*)", text)
    for section in re.split(r"(?m)^(?=## )", text):
        named = [(name, *_COMMANDS[name]) for name in _NAMES.findall(section) or _NAMES.findall(text)]
        commands = dict.fromkeys([*(tuple(shlex.split(line)) for line in lines), *named])
        for kinds in _RECIPE.findall(section):
            if "pods" in kinds.split(","):
                yield from (Recipe(str(page.relative_to(ROOT)), tuple(kinds.split(",")), each) for each in commands)


RECIPES = list(
    dict.fromkeys(each for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md"))) for each in _recipes(page))
)


def _write(folder: Path, kinds: Sequence[str], selector: Object) -> None:
    """What the examples of the docs name: two namespaces, of which the SidecarSet selects one, and their dump."""
    old, new = (sidecarset(tag, namespaceSelector=selector).manifest for tag in "12")
    for name in ("sets", "sidecarsets"):
        Path(folder, name).mkdir(exist_ok=True)
    for name in ("old.yaml", "new.yaml", "sets/set.yaml", "sidecarsets/set.yaml", "sidecarset.yaml"):
        Path(folder, name).write_text(json.dumps(old if name == "old.yaml" else new, indent=1))
    names = ("shop", "bank")
    cluster: dict[str, list[Object]] = {
        "sidecarsets": [old],
        "namespaces": [
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {"team": name}}}
            for name in names
        ],
        "pods": [pod(f"web-{number}", namespace=name) for name in names for number in range(3)],
    }
    items = [item for kind in kinds for item in cluster.get(kind, ())]
    Path(folder, "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))


def test_recipes_are_found() -> None:
    assert {recipe.page for recipe in RECIPES} >= {
        "docs/container.md",
        "docs/how-to/review-a-change.md",
        "docs/how-to/upgrade-kruise.md",
        "docs/questions.md",
        "docs/reference/commands.md",
        "docs/tour.md",
        "docs/which-command.md",
    }
    assert {recipe.command[0] for recipe in RECIPES} >= _COMMANDS.keys()


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: f"{recipe.page}: {' '.join(recipe.command)}")
def test_a_recipe_gives_the_right_answer(recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kinds = [kind for kind in recipe.kinds if kind != "sidecarsets"]  # those of the files are asked about
    _write(tmp_path, kinds, _BY_NAME)
    right = run(*recipe.command)
    assert right.code in (0, 1), right.stderr
    _write(tmp_path, kinds, _BY_LABEL)
    ended = run(*recipe.command)
    assert (ended.code, _answer(ended.stdout)) == (right.code, _answer(right.stdout))
    assert "not known" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("command", sorted({recipe.command for recipe in RECIPES}), ids=" ".join)
def test_without_namespaces_a_command_says_what_is_missing(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _write(tmp_path, ["pods"], _BY_LABEL)
    ended = run(*command)
    _write(tmp_path, ["pods", "namespaces"], _BY_LABEL)
    if ended.stdout != run(*command).stdout:  # it needs no Namespaces
        assert DUMP in " ".join((ended.stdout + ended.stderr).split()), ended.stdout


def _answer(text: str) -> str:
    """An answer without what may differ: the selector, its place, and what is said of the labels of namespaces."""
    text = re.sub(
        r"(?m)^.*(Namespace: |[Nn]amespaceSelector).*$|(?<=\.yaml:)[0-9:]+|\n *[└│├].*Namespace .*", "", text
    )
    return re.sub(r"kubernetes\.io/metadata\.name|team", "LABEL", text)
