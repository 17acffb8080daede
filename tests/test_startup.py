"""Start-up is a feature: what a command does not need, it does not load."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from ruamel.yaml import error as yaml_error

from sidecarctl.engine.facts.start_up import BY_TYPER
from tests.cli.manifests import DEPLOYMENT, SET

HEAVY = ("rich", "jinja2", "jsonschema", "jsonpatch", "concurrent.futures", "multiprocessing", "importlib.metadata")

SAMPLES = Path(__file__).parents[1] / "samples"
CANARY = SAMPLES / "rollouts" / "canary"
BUDGETS: list[tuple[int, list[str | Path]]] = [
    (100, ["version"]),
    (124, ["hash", "set.yaml"]),
    (136, ["inject", "-s", "set.yaml", "web.yaml"]),
    (167, ["validate", "set.yaml"]),
    (167, ["explain", "-s", "set.yaml", "web.yaml"]),
    (220, ["plan", CANARY / "sidecarset.yaml", CANARY / "workloads.yaml", "--from", CANARY / "old.yaml"]),
]
"""How many modules of the program a command may load: a new one replaces another, or has a reason."""


def loaded_by(*arguments: str | Path) -> set[str]:
    """The modules that are loaded when a command has run."""
    program = (
        "import sys; from sidecarctl.__main__ import main; sys.argv[1:] = sys.argv[1:]\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "loaded = [name for name, module in sys.modules.items() if type(module).__name__ != '_LazyModule']\n"
        "sys.stderr.write('\\n' + ' '.join(loaded))"
    )
    words = [sys.executable, "-c", program, *map(str, arguments)]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(ended.stderr.rpartition("\n")[2].split())


def assert_unloaded(loaded: set[str], *modules: str) -> None:
    """None of the modules is loaded; the name of a module that does not exist would show nothing."""
    assert not [module for module in modules if find_spec(module) is None]
    assert not [module for module in modules if module in loaded]


def test_version_loads_nothing() -> None:
    assert not {"typer", "ruamel", "re", "json"} & loaded_by("--version")


@pytest.mark.parametrize(("most", "words"), BUDGETS, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_a_command_loads_what_it_needs(
    most: int, words: list[str | Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    monkeypatch.chdir(tmp_path)
    loaded = loaded_by(*words)
    has_pydantic = "pydantic" in loaded  # which Typer loads from 0.29 on, and which loads much itself
    assert_unloaded(loaded, *{*HEAVY} - {"importlib.metadata" if has_pydantic else ""})
    if words[0] == "inject" and not has_pydantic:
        by_old_yaml = set(BY_TYPER) & set(vars(yaml_error))  # up to 0.18 it loads textwrap itself
        assert_unloaded(loaded, *{*BY_TYPER} - by_old_yaml)
    own = [module for module in loaded if module.startswith("sidecarctl")]
    assert most * 0.9 < len(own) <= most, f"{len(own)} modules: {sorted(own)}"


def test_the_collector_begins_when_a_command_does(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    program = (
        "import gc, sys; from sidecarctl.__main__ import main\n"
        "before = gc.get_stats()\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write(f'{gc.isenabled()} {gc.get_stats() == before}')"
    )
    for words, told in (["--help"], "False True"), (["hash", str(tmp_path / "set.yaml")], "True "):
        ended = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)
        assert ended.stderr.startswith(told)
