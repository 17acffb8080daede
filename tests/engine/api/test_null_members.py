"""Null members of maps as Go's decoder reads them: null_members/main.go recorded null_members/recorded.jsonl."""

import json
from pathlib import Path

import pytest

from sidecarctl.engine.api.canonical import encoded
from sidecarctl.engine.api.field_table import null_members
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.sidecarset.admission import admit
from tests.cli.running import run
from tests.engine.injection.manifests import sidecar, sidecarset

RECORDING = Path(__file__).parent / "null_members" / "recorded.jsonl"
RECORDED = [json.loads(line) for line in RECORDING.read_text().splitlines()]


@pytest.mark.parametrize("recorded", RECORDED, ids=[recorded["field"] for recorded in RECORDED])
def test_as_recorded(recorded: Object) -> None:
    type_name, _, field = recorded["field"].rpartition(".")
    assert encoded(recorded["given"], type_name)[field] == recorded["read"][field]


def test_a_null_limit_is_zero_and_has_another_hash_than_an_absent_one() -> None:
    with_null, absent, zero = (
        admit(sidecarset("logs", sidecar(resources={"limits": limits})))
        for limits in ({"cpu": None, "memory": "1Gi"}, {"memory": "1Gi"}, {"cpu": "0", "memory": "1Gi"})
    )
    assert with_null.hash == zero.hash != absent.hash


def test_a_null_label_of_a_selector_is_an_empty_value() -> None:
    spec = admit(sidecarset("logs", sidecar(), selector={"matchLabels": {"app": None}})).spec
    assert spec["selector"] == {"matchLabels": {"app": ""}}


def test_null_members_are_found_with_what_they_are_read_as() -> None:
    manifest = sidecarset(
        "logs", sidecar(resources={"limits": {"cpu": None}}), selector={"matchLabels": {"app": None}}
    )
    assert sorted(null_members(manifest, "v1beta1.SidecarSet"), key=str) == [
        (("spec", "containers", 0, "resources", "limits", "cpu"), '"0"'),
        (("spec", "selector", "matchLabels", "app"), '""'),
    ]


def test_validate_and_inject_warn(tmp_path: Path) -> None:
    manifest = sidecarset("logs", sidecar(resources={"limits": {"cpu": None}}))
    (tmp_path / "set.json").write_text(json.dumps(manifest))
    for command in ("validate", "hash"):
        ended = run(command, tmp_path / "set.json")
        assert 'cpu is null, which Kruise reads as "0"' in ended.stdout + ended.stderr
