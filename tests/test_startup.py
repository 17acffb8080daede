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

SELDOM_NEEDED = (
    "ruamel.yaml.tokens",
    "sidecarctl.cli.documents",
    "sidecarctl.cli.flags.config_file",
    "sidecarctl.cli.flags.earlier",
    "sidecarctl.cli.progress",
    "sidecarctl.engine.documents.editing.flow_edits",
    "sidecarctl.engine.documents.lists",
    "sidecarctl.engine.documents.reading.json_text",
    "sidecarctl.engine.facts.reason_remedies",
    "sidecarctl.engine.field_changes",
    "sidecarctl.engine.files.git",
    "sidecarctl.engine.injection.launch_priority",
    "sidecarctl.engine.injection.launch_step",
    "sidecarctl.engine.injection.uncomputed_steps",
    "sidecarctl.engine.inputs.manifests",
    "sidecarctl.engine.inputs.references",
    "sidecarctl.cli.formats",
    "sidecarctl.render.documents",
    "sidecarctl.render.run.code_hosts",
    "sidecarctl.engine.sidecarset.json_merge",
    "sidecarctl.engine.sidecarset.other_version",
    "sidecarctl.engine.sidecarset.revisions.revision_history",
    "sidecarctl.engine.sidecarset.revisions.revision_restoring",
)
"""What serves manifests of other shapes than those of the tests here, and options that they do not use."""


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


def own(*modules: str) -> list[str]:
    """The full names of modules of the program."""
    return [f"sidecarctl.{module}" for module in modules]


def test_version_loads_nothing() -> None:
    assert not {"typer", "ruamel", "re", "json"} & loaded_by("--version")


def test_inject_loads_no_heavy_module(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("inject", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.features.inject.inject_command" in loaded
    assert_unloaded(loaded, *HEAVY)
    assert "ruamel.yaml.constructor" not in loaded
    by_old_yaml = set(BY_TYPER) & set(vars(yaml_error))  # up to 0.18 it loads textwrap itself
    of_settings = own("config", "api.taught_kinds")  # the function reads its functionConfig with them
    unneeded = (*SELDOM_NEEDED, *of_settings, *{*BY_TYPER} - by_old_yaml, "dataclasses", "tempfile")
    assert_unloaded(loaded, *unneeded)
    assert "sidecarctl.features.reference.command" not in loaded
    assert not [
        module
        for module in loaded
        if module.startswith(("sidecarctl.features.reference.completing", "sidecarctl.render.page"))
    ]


@pytest.mark.slow
def test_explain_of_a_pod_that_does_not_run_loads_nothing_of_rollouts(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.features.explain.command" in loaded
    assert_unloaded(loaded, *HEAVY)
    rollouts = ("operations.status", "inputs.pods", "sidecarset.expressions")
    assert_unloaded(loaded, *own(*rollouts))


@pytest.mark.slow
def test_explain_of_a_running_pod_loads_no_simulation_and_nothing_of_clusters() -> None:
    samples = Path(__file__).parents[1] / "samples" / "explain"
    loaded = loaded_by("explain", "-s", samples / "sidecarsets.yaml", samples / "tools-pods.yaml", "build-0", "tools")
    assert "sidecarctl.engine.rollout.summary.pod_states" in loaded
    unneeded = (
        "rollout.simulated_rollout",
        "rollout.summary.rollout_plan",
        "kubectl.live",
        "kubectl.cluster",
        "push",
    )
    assert_unloaded(loaded, *own(*unneeded))
    assert "hashlib" not in loaded


SELDOM_CHECKED = (
    "api.schema_checks",
    "validation.catalog",
    "validation.conflicts",
    "validation.admission.environment",
    "validation.admission.resources_policy",
    "validation.admission.security",
    "validation.admission.volume_sources",
    "validation.baselines",
    "validation.pods",
    "validation.practice.kubernetes",
    "validation.practice.updates",
)
"""Rules about what the SidecarSet of the tests does not have, and what only `validate` needs."""


def test_inject_loads_only_the_rules_that_the_sidecarset_is_for(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("inject", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.engine.validation.checking" in loaded
    assert_unloaded(loaded, *own(*SELDOM_CHECKED))


def test_validate_of_a_sidecarset_loads_nothing_that_injects_or_rolls_out(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    loaded = loaded_by("validate", tmp_path / "set.yaml")
    assert "sidecarctl.features.validate.validate" in loaded
    assert_unloaded(loaded, *HEAVY)
    elsewhere = (
        "injection.pod_webhook",
        "operations.comparing.kruise_upgrade",
        "operations.planning.pod_sorts",
        "operations.planning.simulated",
        "operations.pod_budgets",
        "operations.transforming.inject",
        "rollout.simulated_rollout",
        "validation.baselines",
    )
    assert_unloaded(loaded, *own(*elsewhere))


@pytest.mark.slow
def test_plan_and_render_load_no_heavy_module(tmp_path: Path) -> None:
    sample = Path(__file__).parents[1] / "samples" / "rollouts" / "canary"
    paths = (sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml")
    loaded = loaded_by("plan", *paths, "-o", f"json={tmp_path}/plan.json")
    loaded |= loaded_by("render", tmp_path / "plan.json", "--simulated", "-d", tmp_path / "out")
    assert (tmp_path / "out").exists()
    assert_unloaded(loaded, *HEAVY)
    assert_unloaded(loaded, *own("rollout.budgets", "rollout.covered_pods", "rollout.budget_pods"))


def test_hash_loads_nothing_that_transforms(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    loaded = loaded_by("hash", tmp_path / "set.yaml")
    assert "sidecarctl.features.reference.command" in loaded
    transforming = (
        "documents.writing",
        "operations.transforming.batches",
    )
    assert_unloaded(loaded, *own(*transforming))


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
