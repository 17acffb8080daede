"""What scripts may rely on: the names of the API, their signatures and members, the examples of docs/python.md."""

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sidecarctl

ROOT = Path(__file__).parents[2]
_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)

SIGNATURES = {
    "load": "(paths: collections.abc.Iterable[str], *, kruise: str = '', namespace: str = 'default', "
    "feature_gates: collections.abc.Mapping[str, bool] | None = None, "
    "namespace_labels: collections.abc.Mapping[str, collections.abc.Mapping[str, str]] | None = None, "
    "template_paths: collections.abc.Iterable[str] = ()) -> sidecarctl.library.inputs.Inputs",
    "Inputs.inject": "(self, manifest: dict[str, typing.Any]) -> sidecarctl.library.answers.Injection",
    "Inputs.explain": "(self, manifest: dict[str, typing.Any]) -> tuple[sidecarctl.library.answers.Explanation, ...]",
    "Inputs.diff": "(self, before: 'Inputs') -> tuple[sidecarctl.library.answers.Change, ...]",
    "Inputs.plan": "(self, sidecarset: str, before: 'Inputs | None' = None, *, pod_update_duration: str = '1', "
    "fail: collections.abc.Sequence[str] = (), update_strategy: dict[str, typing.Any] | None = None) "
    "-> sidecarctl.library.answers.Rollout",
    "Inputs.with_sidecarset": "(self, manifest: dict[str, typing.Any]) -> 'Inputs'",
    "Inputs.validate": "(self) -> tuple[sidecarctl.engine.facts.findings.Finding, ...]",
}
MEMBERS = {
    "Injection": "manifest changed pods reason message findings",
    "InjectedPod": "path pod sidecarsets",
    "Explanation": "pod path outcome decisions findings",
    "Decision": "sidecarset reason message place remedy",
    "Change": "sidecarset verdicts summary fields matched updated recreated lost gained findings",
    "Rollout": "sidecarset ending summary matched updated waves largest_unavailable seconds findings",
    "RolloutPod": "namespace name labels",
    "Wave": "round pods",
    "Finding": "severity reason message path subject place hint rule suppressed_by",
}
ERRORS = ("SidecarctlError", "UsageError", "InputError", "ImpossibleError")


@pytest.mark.parametrize("name", SIGNATURES)
def test_signatures_are_frozen(name: str) -> None:
    found: object = sidecarctl
    for part in name.split("."):
        found = getattr(found, part)
    assert callable(found)
    assert str(inspect.signature(found)) == SIGNATURES[name]


@pytest.mark.parametrize("name", MEMBERS)
def test_members_of_answers_are_frozen(name: str) -> None:
    answer = getattr(sidecarctl, name)
    assert " ".join(answer._fields) == MEMBERS[name]


def test_every_name_is_frozen_here() -> None:
    assert {*sidecarctl.__all__} == {"load", "Inputs", *MEMBERS, *ERRORS}
    assert all(issubclass(getattr(sidecarctl, name), sidecarctl.SidecarctlError) for name in ERRORS)
    for name in ("kruise", "sidecarsets", "manifests"):
        assert isinstance(getattr(sidecarctl.Inputs, name), property)
    with pytest.raises(AttributeError, match="has no attribute 'lood'"):
        sidecarctl.lood  # type: ignore[attr-defined] # noqa: B018 - which is the point


def test_the_stub_has_the_same_names() -> None:
    stub = (ROOT / "sidecarctl" / "__init__.pyi").read_text()
    assert {*re.findall(r'^    "(\w+)",$', stub, re.MULTILINE)} == {*sidecarctl.__all__}


def test_the_examples_of_the_page_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "samples" / "shop" / "plain", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    blocks = _BLOCK.findall((ROOT / "docs" / "python.md").read_text())
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)  # noqa: S102 - what the page shows


def test_the_page_lists_every_name() -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    assert not [name for name in sidecarctl.__all__ if f"`{name}`" not in page]


def test_the_import_loads_nothing() -> None:
    program = "import sidecarctl, sys; print(*[name for name in sys.modules if name.startswith('sidecarctl')])"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["sidecarctl"]


def test_a_rollout_over_running_pods_needs_no_earlier_version() -> None:
    samples = ROOT / "samples" / "explain"
    inputs = sidecarctl.load([str(samples / "sidecarsets.yaml"), str(samples / "tools-pods.yaml")])
    assert inputs.plan("tools").matched
    with pytest.raises(sidecarctl.UsageError, match="SidecarSet nobody not found"):
        inputs.plan("nobody")
