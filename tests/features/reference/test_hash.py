"""`sidecarctl hash`."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tests.cli.manifests import BAD_YAML, SERVICE, SET
from tests.cli.running import run
from tests.schemas import assert_valid


def test_both_hashes_of_each_set_in_the_order_of_names(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SET.replace("name: logs", "name: zeta") + "---\n" + SET + "---\n" + SERVICE)
    ended = run("hash", tmp_path)
    assert (ended.code, ended.stderr) == (0, "")
    assert re.fullmatch(r"logs  (\w{44,}) {2}(\w{44,})\nzeta  (\w{44,}) {2}(\w{44,})\n", ended.stdout)


def test_as_a_document_for_programs(tmp_path: Path) -> None:
    recorded = '  annotations: {kruise.io/sidecarset-hash: "abc"}\n'
    (tmp_path / "set.yaml").write_text(SET.replace("  name: logs\n", "  name: logs\n" + recorded, 1))
    ended = run("hash", tmp_path, "-o", "json", "--kruise", "1.9")
    found = json.loads(ended.stdout)
    assert_valid(found, "sidecarset-hashes.json")
    assert found["behavior"] == "Kruise 1.9"
    assert [" ".join(each[key] for key in ("name", "hash", "hashWithoutImage")) for each in found["sidecarSets"]] == [
        " ".join(line.split()) for line in run("hash", tmp_path).stdout.splitlines()
    ]
    assert [finding["reason"] for finding in found["findings"]] == ["StaleHash"]
    assert yaml.safe_load(run("hash", tmp_path, "-o", "yaml").stdout) == found


def test_another_image_changes_the_hash_and_not_the_one_without_image(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(SET)
    (tmp_path / "new.yaml").write_text(SET.replace("2.4.1", "2.5.0"))
    _, old, old_without_image = run("hash", tmp_path / "old.yaml").stdout.split()
    _, new, new_without_image = run("hash", tmp_path / "new.yaml").stdout.split()
    assert old != new
    assert old_without_image == new_without_image


def test_a_recorded_hash_that_differs_is_reported(tmp_path: Path) -> None:
    recorded = '  annotations: {kruise.io/sidecarset-hash: "abc"}\n'
    (tmp_path / "set.yaml").write_text(SET.replace("  name: logs\n", "  name: logs\n" + recorded, 1))
    ended = run("hash", tmp_path / "set.yaml")
    assert ended.code == 0
    assert ended.stdout.startswith("logs  ")
    assert "warning: " in ended.stderr
    assert "set.yaml:" in ended.stderr
    assert ended.stderr.endswith("[StaleHash]\n")
    assert run("hash", tmp_path / "set.yaml", "--strict").code == 1


def test_a_warning_is_an_error_only_under_strict(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET + "    resources: {limits: {cpu: null}}\n")
    ended = run("hash", tmp_path)
    assert (ended.code, ended.stderr.count("warning: ")) == (0, 1), ended.stderr
    assert run("hash", tmp_path, "--strict").code == 1


def test_no_set_at_all(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    ended = run("hash", tmp_path)
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.endswith("[NoSidecarSet]\n")
    assert run("hash", "--allow-empty", tmp_path).code == 0


REFUSED = {
    "not YAML": (BAD_YAML.replace("Pod", "SidecarSet"), "set.yaml:3:11: mapping values are not allowed"),
    "a wrong type": (
        SET.replace("image: registry", "image: 5 #"),
        "set.yaml:11:12: SidecarSet logs: spec.containers[0].image: expected a string, got the number 5",
    ),
    "another version": (
        SET.replace("v1beta1", "v9"),
        "set.yaml:1:13: SidecarSet logs: apiVersion: ",
    ),
    "two of one name": (
        f"{SET}---\n{SET.replace('2.4.1', '2.5.0')}",
        "SidecarSet logs: metadata.name: SidecarSet logs is also defined in ",
    ),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_a_set_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "set.yaml").write_text(text)
    ended = run("hash", tmp_path / "set.yaml")
    assert (ended.code, ended.stdout) == (2, "")
    assert said in ended.stderr


def test_usage_errors(tmp_path: Path) -> None:
    for words, said in (([], "no PATHS given"), ([tmp_path / "nope.yaml"], "nope.yaml: cannot be read: ")):
        ended = run("hash", *words)
        assert (ended.code, ended.stdout) == (2, "")
        assert said in ended.stderr


def test_from_standard_input() -> None:
    ended = run("hash", "-", stdin=SET.encode())
    assert (ended.code, ended.stdout[:6]) == (0, "logs  ")
