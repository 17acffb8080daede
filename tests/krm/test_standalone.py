"""Manifests in, manifests out: standalone, and as a legacy plugin of kustomize."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.facts.errors import InputError, UsageError
from sidecarctl.krm.function import answer_to_arguments
from sidecarctl.krm.output import FunctionAnswer
from tests.cli.manifests import BAD_YAML, DEPLOYMENT, REJECTED, SERVICE, SET
from tests.krm.calls import injection

LEGACY = "KUSTOMIZE_PLUGIN_CONFIG_ROOT"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "inject.json").write_text(json.dumps(injection(paths=["set.yaml"])))
    (tmp_path / "check.json").write_text(json.dumps(injection(mode="check", paths=["set.yaml"])))
    (tmp_path / "set.yaml").write_text(SET)
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    (tmp_path / "service.yaml").write_text(SERVICE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(*words: str, stdin: str = "", environ: dict[str, str] | None = None) -> FunctionAnswer:
    return answer_to_arguments(words, environ or {}, stdin.encode)


@pytest.mark.usefixtures("folder")
class TestStandalone:
    def test_files_are_injected_losslessly_and_joined(self) -> None:
        done = answer("inject.json", "service.yaml", "web.yaml")
        assert done.exit_code == 0
        assert done.text.startswith(SERVICE + "---\n# the shop's front\n")
        assert "name: log-agent" in done.text

    def test_stdin_is_an_input(self) -> None:
        assert "name: log-agent" in answer("inject.json", "-", stdin=DEPLOYMENT).text

    def test_inputs_without_a_last_line_break_are_parted(self) -> None:
        done = answer("inject.json", "-", "web.yaml", stdin=SERVICE.rstrip("\n"))
        assert done.text.startswith(SERVICE + "---\n")
        marked = answer("inject.json", "web.yaml", "-", stdin="---\n" + SERVICE)
        assert marked.text.endswith("web:1.0\n---\n" + SERVICE)

    def test_sets_among_the_inputs_count(self, folder: Path) -> None:
        (folder / "empty.yaml").write_text("apiVersion: v1\nkind: ConfigMap\n")
        assert "name: log-agent" in answer("empty.yaml", "set.yaml", "web.yaml").text

    def test_local_objects_are_left_alone(self) -> None:
        local = DEPLOYMENT.replace(
            "name: web\n", "name: web\n  annotations: {config.kubernetes.io/local-config: 'true'}\n", 1
        )
        assert answer("inject.json", "-", stdin=local).text == local

    def test_a_failure_leaves_stdout_empty(self) -> None:
        done = answer("inject.json", "web.yaml", "-", stdin=REJECTED)
        assert (done.text, done.exit_code) == ("", 3)
        assert done.lines[0].startswith("error: stdin:")
        broken = answer("inject.json", "-", stdin=BAD_YAML)
        assert (broken.text, broken.exit_code) == ("", 2)
        assert broken.lines[0].startswith("error: stdin:3:11: mapping values")

    def test_check(self) -> None:
        done = answer("check.json", "web.yaml")
        assert (done.text, done.exit_code) == ("", 1)
        assert "InjectionDiffers" in done.lines[0]

    def test_strict_and_no_sets(self, folder: Path) -> None:
        (folder / "strict.json").write_text(json.dumps(injection(paths=["odd.yaml"], options={"strict": True})))
        (folder / "odd.yaml").write_text(SET + "  containres: []\n")
        assert answer("strict.json", "web.yaml").exit_code == 1
        (folder / "none.json").write_text(json.dumps(injection()))
        with pytest.raises(InputError, match="no SidecarSet found"):
            answer("none.json", "web.yaml")
        (folder / "out.json").write_text(json.dumps(injection(mode="uninject")))
        assert answer("out.json", "web.yaml").text == DEPLOYMENT

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (["inject.json"], "no inputs besides the functionConfig file"),
            (["--mode", "check"], "there is no option --mode"),
            (["inject.json", "-", "-"], "only once"),
        ],
    )
    def test_arguments_that_make_no_sense(self, words: list[str], said: str) -> None:
        with pytest.raises(UsageError, match=said):
            answer(*words)

    @pytest.mark.parametrize("text", ["", "- a\n", "a: b\n---\nc: d\n", BAD_YAML])
    def test_a_config_that_is_not_an_object(self, folder: Path, text: str) -> None:
        (folder / "config.yaml").write_text(text)
        with pytest.raises(InputError, match=r"config\.yaml"):
            answer("config.yaml", "web.yaml")


class TestLegacy:
    def test_the_folder_of_the_kustomization_counts(
        self, folder: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        config = tmp_path_factory.mktemp("kust") / "config-1"
        config.write_text(json.dumps(injection(paths=["set.yaml"])))
        done = answer(str(config), "oneliner", stdin=DEPLOYMENT, environ={LEGACY: str(folder)})
        assert "name: log-agent" in done.text

    def test_a_validator_answers_nothing(self, folder: Path) -> None:
        injected = answer("inject.json", "web.yaml").text
        done = answer("check.json", stdin=injected, environ={LEGACY: str(folder)})
        assert (done.text, done.exit_code) == ("", 0)

    def test_a_validator_among_transformers_is_refused(self, folder: Path) -> None:
        (folder / "kustomization.yml").write_text("transformers: [check.json]\n")
        with pytest.raises(UsageError, match="validators"):
            answer("check.json", stdin=DEPLOYMENT, environ={LEGACY: str(folder)})
