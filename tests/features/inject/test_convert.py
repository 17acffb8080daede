"""`sidecarctl convert`."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.documents.writing import block_text
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.conversion import type_of, version_of
from tests.cli.manifests import SERVICE, SET
from tests.cli.running import run
from tests.conformance.cases import FOLDER, cases_in
from tests.conformance.difference import first_difference
from tests.conformance.stripping import stripped

OLD = """# ours
apiVersion: apps.kruise.io/v1alpha1 # the old one
kind: SidecarSet
metadata:
  name: logs
  labels:
    team: a
    apps.kruise.io/sidecarset-custom-version: "2"
spec:
  namespace: shop
  selector: {matchLabels: {app: web}} # whom
  containers:
    - name: agent
      image: "agent:1" # pinned
"""


def _recorded() -> Iterator[tuple[str, Object, Object]]:
    for case in cases_in(FOLDER / "convert"):
        if "converted" in case.expect:
            for manifest, converted in zip(case.objects, case.expect["converted"], strict=True):
                yield case.name, manifest, converted


@pytest.mark.parametrize("target", ["v1beta1", "v1alpha1"])
@pytest.mark.parametrize("form", ["json", "yaml"])
def test_every_recorded_case_passes_through_the_command(target: str, form: str, tmp_path: Path) -> None:
    cases = [item for item in _recorded() if version_of(item[2]) == target]
    written = json.dumps if form == "json" else block_text
    separator = "\n" if form == "json" else "---\n"
    (tmp_path / f"sets.{form}").write_text(separator.join(written(manifest) for _, manifest, _ in cases))
    ended = run("convert", tmp_path, "--to", target, "--kruise", "master", "-q", "-o", "json")
    assert (ended.code, ended.stderr) == (0, "")
    decoder, text, place = json.JSONDecoder(), ended.stdout, 0
    for name, _, expected in cases:
        got, end = decoder.raw_decode(text, place)
        place = end + 1
        version = version_of(got)
        assert version == target
        held = typed(got, type_of(version))
        shown = {key: held[key] for key in held if key != "status" or got.get("status")}
        assert first_difference(stripped(expected), stripped(shown)) is None, name
    assert cases
    assert place == len(text)


def test_only_what_the_versions_say_otherwise_is_edited(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(OLD)
    ended = run("convert", tmp_path / "set.yaml", "--to", "v1beta1")
    assert ended.code == 0
    assert ended.stdout == OLD.replace("v1alpha1", "v1beta1").replace("  namespace: shop\n", "").replace(
        '    apps.kruise.io/sidecarset-custom-version: "2"\n', ""
    ) + ('  namespaceSelector:\n    matchLabels:\n      kubernetes.io/metadata.name: shop\n  customVersion: "2"\n')
    hashed = run("hash", tmp_path / "set.yaml").stdout.split()[1]
    assert f"hash {hashed}, unchanged" in ended.stderr
    assert "set.yaml:10:" in ended.stderr
    assert "v1beta1 has no field namespace" in ended.stderr


def test_there_and_back_gives_the_same_bytes_where_both_can_say_it() -> None:
    both = OLD.replace("  namespace: shop\n", "  namespaceSelector: {matchLabels: {env: prod}}\n")
    for text in (SET, both):
        there, back = ("v1alpha1", "v1beta1") if "v1beta1" in text else ("v1beta1", "v1alpha1")
        middle = run("convert", "-", "--to", there, stdin=text.encode()).stdout
        assert middle != text
        assert run("convert", "-", "--to", back, stdin=middle.encode()).stdout == text


def test_what_the_other_version_would_heed_though_it_meant_nothing_goes(tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text(SET.replace("spec:\n", "spec:\n  namespace: shop\n", 1))
    ended = run("convert", tmp_path, "--to", "v1alpha1")
    assert "namespace: shop" not in ended.stdout
    assert "v1beta1 has no field namespace: it had no effect" in ended.stderr


def test_a_namespace_selector_that_did_nothing_is_reported(tmp_path: Path) -> None:
    both = OLD.replace("  namespace: shop\n", "  namespace: shop\n  namespaceSelector: {matchLabels: {a: b}}\n")
    (tmp_path / "set.yaml").write_text(both)
    ended = run("convert", tmp_path, "--to", "v1beta1", "--strict")
    assert ended.code == 1
    assert "namespace takes precedence" in ended.stderr
    assert yaml.safe_load(ended.stdout)["spec"]["namespaceSelector"] == {
        "matchLabels": {"kubernetes.io/metadata.name": "shop"}
    }


def test_in_place_check_and_what_is_that_version_already(tmp_path: Path) -> None:
    file = tmp_path / "all.yaml"
    file.write_text(OLD + "---\n" + SERVICE)
    assert run("convert", file, "--to", "v1beta1", "--check").code == 1
    assert run("convert", file, "--to", "v1beta1", "-i").code == 0
    assert file.read_text().endswith("---\n" + SERVICE)
    again = run("convert", file, "--to", "v1beta1", "--check")
    assert (again.code, again.stdout) == (0, "")
    assert "it is already v1beta1" in again.stderr


def test_several_versions_of_one_sidecarset_may_lie_in_one_folder(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(SET)
    (tmp_path / "b.yaml").write_text(SET.replace("2.4.1", "2.5.0"))
    ended = run("convert", tmp_path, "--to", "v1alpha1", "-o", "name")
    assert (ended.code, ended.stdout) == (0, "sidecarset.apps.kruise.io/logs\n" * 2)


def test_no_sidecarset_at_all(tmp_path: Path) -> None:
    (tmp_path / "service.yaml").write_text(SERVICE)
    ended = run("convert", tmp_path, "--to", "v1beta1")
    assert (ended.code, ended.stdout) == (2, "")
    assert ended.stderr.endswith("[NoSidecarSet]\n")
    assert run("convert", tmp_path, "--to", "v1beta1", "--allow-empty").stdout == SERVICE
