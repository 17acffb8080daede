"""The digest of a plan: the same however the plan is written, another for every edit of a value."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.plan_file.reading import digest_of, read_plan, refuse_edited, release_of
from sidecarctl.engine.sidecarset.admission import admit
from tests.cli.running import run
from tests.engine.rollout.manifests import pod, sidecarset


@pytest.fixture
def written(tmp_path: Path) -> tuple[Object, Object]:
    """The same plan from JSON and from YAML."""
    pods = [pod(f"p{index}") for index in range(3)]
    (tmp_path / "pods.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": pods}))
    (tmp_path / "set.json").write_text(json.dumps(sidecarset("2").manifest))
    forms = ("-o", f"json={tmp_path}/plan.json", "-o", f"yaml={tmp_path}/plan.yaml")
    assert run("plan", tmp_path / "set.json", tmp_path / "pods.json", *forms).code == 0
    return json.loads((tmp_path / "plan.json").read_text()), yaml.safe_load((tmp_path / "plan.yaml").read_text())


def test_it_is_that_of_the_values(written: tuple[Object, Object]) -> None:
    of_json, of_yaml = written
    assert of_json["digest"] == of_yaml["digest"] == digest_of(of_json) == digest_of(of_yaml)
    turned = dict(reversed(of_json.items()))
    assert digest_of(turned) == of_json["digest"]


def test_every_edit_gives_another_one(written: tuple[Object, Object]) -> None:
    plan = written[0]
    digests = [digest_of(edited) for edited in _edits(plan)]
    assert len(digests) > 150
    assert plan["digest"] not in digests


def test_the_set_in_a_plan_has_the_hashes_of_the_plan(written: tuple[Object, Object]) -> None:
    [planned] = written[0]["sidecarSets"]
    admitted = admit(planned["manifest"])
    assert (admitted.hash, admitted.hash_without_image) == (planned["hash"], planned["hashWithoutImage"])


def test_a_plan_with_the_earlier_spelling_of_behavior_is_read_and_verified(written: tuple[Object, Object]) -> None:
    plan = {"behaviour" if key == "behavior" else key: value for key, value in written[0].items()}
    plan["digest"] = digest_of(plan)
    assert plan["digest"] != written[0]["digest"]
    assert read_plan(plan) == read_plan(written[0])
    refuse_edited(plan)
    assert release_of(plan) is release_of(written[0])
    with pytest.raises(ImpossibleError, match="its digest does not fit"):
        refuse_edited(plan | {"behaviour": "Kruise 1.8"})
    for spelling in ({**plan, "behavior": "Kruise 1.9"}, {k: v for k, v in plan.items() if k != "behaviour"}):
        with pytest.raises(InputError):
            read_plan(spelling)


def test_the_digest_of_the_earlier_spelling_is_what_it_was() -> None:
    recorded = "sha256:af2385a61a2c1c30714f9b454a516c5ad108a97ca640a7e3a67c21e5c085e061"
    assert digest_of({"behaviour": "Kruise 1.9", "sidecarSets": []}) == recorded


def _edits(plan: Object) -> Iterator[Object]:
    """The plan with one scalar changed, for each of them but the digest."""
    for path in list(_scalars(plan)):
        if path == ("digest",):
            continue
        edited: Value = copy.deepcopy(plan)
        branch = edited
        for part in path[:-1]:
            branch = branch[part]
        branch[path[-1]] = f"{branch[path[-1]]} "
        yield edited


def _scalars(value: Value, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not isinstance(value, dict | list):
        yield path
    for key, member in members:
        yield from _scalars(member, *path, key)
