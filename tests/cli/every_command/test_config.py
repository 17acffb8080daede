"""`--config FILE`: the object of the KRM function as options of a command."""

from pathlib import Path

import pytest

from tests.cli.manifests import DEPLOYMENT, SET
from tests.cli.running import run

CONFIG = """\
apiVersion: sidecarctl.dev/v1alpha1
kind: SidecarInjection
spec:
  paths: [sets/set.yaml]
"""
OTHER = SET.replace("name: logs", "name: other").replace("log-agent", "other-agent")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "conf" / "sets").mkdir(parents=True)
    (tmp_path / "conf" / "sets" / "set.yaml").write_text(SET)
    (tmp_path / "conf" / "config.yaml").write_text(CONFIG)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    return tmp_path


def inject(folder: Path, config: str, *more: str, command: str = "inject") -> tuple[int, str, str]:
    (folder / "conf" / "config.yaml").write_text(config)
    done = run(command, "--config", folder / "conf" / "config.yaml", folder / "web.yaml", *more)
    return done.code, done.stdout, done.stderr


def test_paths_count_from_the_folder_of_the_config(folder: Path) -> None:
    code, out, _ = inject(folder, CONFIG)
    assert code == 0
    assert "name: log-agent" in out


def test_sets_stand_in_the_config(folder: Path) -> None:
    inline = "".join(f"    {line}\n" for line in OTHER.splitlines())
    config = CONFIG + "  sidecarSets:\n  - " + inline.lstrip()
    code, out, _ = inject(folder, config)
    assert code == 0
    assert "name: log-agent" in out
    assert "name: other-agent" in out


def test_what_is_wrong_with_a_set_in_the_config_has_its_line(folder: Path) -> None:
    config = CONFIG + "  sidecarSets:\n  - apiVersion: apps.kruise.io/v1beta1\n    kind: SidecarSet\n    spec: 5\n"
    code, _, err = inject(folder, config)
    assert code == 2
    assert "config.yaml:8:11: SidecarSet" in err


def test_options_of_the_config_and_the_command_line_before_them(folder: Path) -> None:
    options = (
        "  options: {timestamp: '2026-01-31T00:00:00Z', namespace: x, seed: 3, strict: false, recursive: null}\n"
    )
    assert "2026-01-31T00:00:00Z" in inject(folder, CONFIG + options)[1]
    assert "2027-01-01T00:00:00Z" in inject(folder, CONFIG + options, "--timestamp", "2027-01-01T00:00:00Z")[1]


def test_it_may_stand_before_the_command(folder: Path) -> None:
    done = run("--config", folder / "conf" / "config.yaml", "inject", folder / "web.yaml")
    assert done.code == 0
    assert "name: log-agent" in done.stdout
    none = run("--config", folder / "conf" / "config.yaml", "validate", folder / "web.yaml")
    assert (none.code, "validate has no option --config" in none.stderr) == (2, True)
    gone = run("--config", folder / "gone.yaml", "inject", folder / "web.yaml")
    assert (gone.code, gone.stdout) == (2, "")


def test_every_option_is_understood(folder: Path) -> None:
    (folder / "conf" / "old.yaml").write_text(SET)
    options = """\
  options:
    only: [logs]
    featureGates: {EnableSortSidecarContainerByName: true, SidecarSetPatchPodMetadataDefaultsAllowed: false}
    revisionFrom: [old.yaml]
    templatePaths: {Game.example.com: spec.template}
    trustAnnotatedHash: true
    allowEmpty: true
    force: true
"""
    code, out, _ = inject(folder, CONFIG + options)
    assert code == 0
    assert "name: log-agent" in out
    (folder / "web.yaml").write_text(out)
    assert inject(folder, CONFIG + options, command="uninject")[1] == DEPLOYMENT


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            CONFIG.replace("paths", "path"),
            "config.yaml:4:9: SidecarInjection: spec.path: unknown field path (did",
        ),
        (CONFIG + "---\na: b\n", "expected a single object of kind SidecarInjection"),
        (SET, "expected a single object of kind SidecarInjection"),
        ("- a\n", "expected a single object of kind SidecarInjection"),
        ("a: b: c", "config.yaml:1:5: mapping values"),
        (
            CONFIG.replace("v1alpha1", "v2"),
            "config.yaml:1:13: SidecarInjection: apiVersion: expected sidecarctl.dev",
        ),
    ],
)
def test_a_config_that_cannot_be_read(folder: Path, text: str, said: str) -> None:
    code, out, err = inject(folder, text)
    assert (code, out) == (2, "")
    assert said in err


def test_a_config_that_is_not_there(folder: Path) -> None:
    for gone in (folder / "gone.yaml", folder):
        done = run("inject", "--config", gone, folder / "web.yaml")
        assert (done.code, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
