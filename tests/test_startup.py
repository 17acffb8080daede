"""Start-up is a feature: what a command does not need, it does not load."""

import subprocess
import sys
from pathlib import Path

from tests.cli.manifests import DEPLOYMENT, SET

HEAVY = ("rich", "jinja2", "jsonschema", "jsonpatch", "concurrent.futures", "multiprocessing", "importlib.metadata")

SELDOM_USED_BY_TYPER = (
    "bz2",
    "difflib",
    "gettext",
    "ipaddress",
    "lzma",
    "platform",
    "shellingham",
    "subprocess",
    "textwrap",
    "tokenize",
    "uuid",
)
"""What Typer imports, and most commands do without."""

SELDOM_NEEDED = (
    "ruamel.yaml.tokens",
    "sidecarctl.changes.json_patch",
    "sidecarctl.inputs.exclusion",
    "sidecarctl.operations.push_facts",
    "sidecarctl.sidecarset.revisions.revision_restoring",
    "sidecarctl.sidecarset.revisions.strategic_merge",
    "sidecarctl.documents.editing.block_scalars",
    "sidecarctl.documents.editing.flow_edits",
    "sidecarctl.documents.reading.json_text",
    "sidecarctl.sidecarset.annotations.json_merge",
)
"""What serves manifests of other shapes than those of the tests here, and options that they do not use."""


def loaded_by(*arguments: str | Path) -> set[str]:
    """The modules that are loaded when a command has run."""
    program = (
        "import sys; from sidecarctl.__main__ import main; sys.argv[1:] = sys.argv[1:]\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "sys.stderr.write('\\n' + ' '.join(sys.modules))"
    )
    words = [sys.executable, "-c", program, *map(str, arguments)]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    return set(ended.stderr.rpartition("\n")[2].split())


def test_version_loads_nothing() -> None:
    assert not {"typer", "ruamel", "re", "json"} & loaded_by("--version")


def test_inject_loads_no_heavy_module(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("inject", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.cli.commands.inject" in loaded
    assert not [module for module in HEAVY if module in loaded]
    assert "ruamel.yaml.constructor" not in loaded
    assert not [module for module in loaded if module.startswith("sidecarctl.documents.lines")]
    unneeded = (*SELDOM_NEEDED, *SELDOM_USED_BY_TYPER, "dataclasses", "tempfile")
    assert not [module for module in unneeded if module in loaded]
    assert "sidecarctl.cli.commands.hash" not in loaded
    assert not [
        module for module in loaded if module.startswith(("sidecarctl.cli.completing", "sidecarctl.reports.html"))
    ]


def test_explain_of_a_pod_that_does_not_run_loads_nothing_of_rollouts(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("explain", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.cli.commands.explain" in loaded
    assert not [module for module in HEAVY if module in loaded]
    rollouts = ("operations.status", "inputs.reading_pods", "sidecarset.resources.expressions")
    assert not [module for module in rollouts if f"sidecarctl.{module}" in loaded]


def test_explain_of_a_running_pod_loads_no_simulation_and_nothing_of_clusters() -> None:
    samples = Path(__file__).parents[1] / "samples" / "explain"
    loaded = loaded_by("explain", "-s", samples / "sidecarsets.yaml", samples / "tools-pods.yaml", "build-0", "tools")
    assert "sidecarctl.rollout.summary.pod_states" in loaded
    unneeded = ("rollout.simulation", "rollout.summary.rollout_plan", "kubectl.live", "kubectl.cluster", "push")
    assert not [module for module in unneeded if f"sidecarctl.{module}" in loaded]
    assert "hashlib" not in loaded


SELDOM_CHECKED = (
    "api.schema_checks",
    "validation.catalogue",
    "validation.checking",
    "validation.conflicts",
    "validation.rule_pages",
    "validation.admission.containers.environment",
    "validation.admission.resources_policy",
    "validation.admission.containers.security",
    "validation.admission.volumes.volume_sources",
    "validation.baselines",
    "validation.practice.injected",
    "validation.practice.matched",
)
"""Rules about what the SidecarSet of the tests does not have, and what only `validate` needs."""


def test_inject_loads_only_the_rules_that_the_sidecarset_is_for(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    loaded = loaded_by("inject", "-s", tmp_path / "set.yaml", tmp_path / "web.yaml")
    assert "sidecarctl.validation.own_findings" in loaded
    assert not [module for module in SELDOM_CHECKED if f"sidecarctl.{module}" in loaded]


def test_plan_and_render_load_no_heavy_module(tmp_path: Path) -> None:
    sample = Path(__file__).parents[1] / "samples" / "rollouts" / "canary"
    paths = (sample / "sidecarset.yaml", sample / "workloads.yaml", "--from", sample / "old.yaml")
    loaded = loaded_by("plan", *paths, "-o", f"json={tmp_path}/plan.json")
    loaded |= loaded_by("render", tmp_path / "plan.json", "--simulated", "-d", tmp_path / "out")
    assert (tmp_path / "out").exists()
    assert not [module for module in HEAVY if module in loaded]


def test_hash_loads_nothing_that_transforms(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET)
    loaded = loaded_by("hash", tmp_path / "set.yaml")
    assert "sidecarctl.cli.commands.hash" in loaded
    transforming = (
        "documents.writing.quoting",
        "documents.writing.yaml_text",
        "changes.difference",
        "tasks.transformation",
    )
    assert not [module for module in transforming if f"sidecarctl.{module}" in loaded]


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
