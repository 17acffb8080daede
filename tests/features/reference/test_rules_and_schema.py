"""`sidecarctl rules` and `sidecarctl schema`."""

import json

import pytest
import yaml
from jsonschema import Draft202012Validator

from sidecarctl.engine.validation.catalog import rules
from tests.cli.running import run
from tests.schemas import assert_valid


def test_the_rules_are_listed_in_every_form() -> None:
    text = run("rules").stdout
    listed = json.loads(run("rules", "-o", "json").stdout)
    assert_valid(listed, "rule-list.json")
    assert listed == yaml.safe_load(run("rules", "-o", "yaml").stdout)
    assert [item["id"] for item in listed["rules"]] == list(rules())
    assert all(f"  {rule} " in text for rule in rules())


def test_one_rule_is_explained_in_every_form() -> None:
    every = {item["id"]: item for item in json.loads(run("rules", "-o", "json").stdout)["rules"]}
    for rule in rules().values():
        listed = json.loads(run("rules", rule.id, "-o", "json").stdout)
        assert listed["rules"] == [every[rule.id]]
        assert run("rules", rule.id).stdout.startswith(f"### {rule.id}\n")
    assert yaml.safe_load(run("rules", "label", "-o", "yaml").stdout)["rules"] == [every["label"]]


def test_a_rule_is_found_by_its_older_id() -> None:
    for rule in rules().values():
        if rule.formerly:
            assert run("rules", rule.formerly).stdout.startswith(f"### {rule.id}\n")


@pytest.mark.parametrize(
    "kind",
    [
        "InjectionDiff",
        "RenderedPatches",
        "RolloutPlan",
        "RolloutStatus",
        "RolloutSweep",
        "SidecarSetHashes",
        "SidecarInjection",
        "SidecarSetDiff",
        "ValidationResult",
    ],
)
def test_each_document_of_ours_has_a_schema(kind: str) -> None:
    schema = json.loads(run("schema", kind).stdout)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == kind


def test_the_schema_of_a_sidecarset_is_that_of_its_version() -> None:
    schemas = {version: run("schema", "--api-version", version).stdout for version in ("v1alpha1", "v1beta1")}
    for version, text in schemas.items():
        assert json.loads(text)["properties"]["apiVersion"]["enum"] == [f"apps.kruise.io/{version}"]
    assert run("schema", "SidecarSet").stdout == schemas["v1beta1"]


def test_the_schema_under_a_release_is_that_of_its_fields_and_versions() -> None:
    schema = json.loads(run("schema", "--kruise", "1.8").stdout)
    assert schema["properties"]["apiVersion"]["enum"] == ["apps.kruise.io/v1alpha1"]
    assert schema["title"] == "SidecarSet of apps.kruise.io/v1alpha1 in Kruise 1.8"
    container = schema["properties"]["spec"]["properties"]["containers"]["items"]["properties"]
    assert "resourcesPolicy" not in container
    ended = run("schema", "--api-version", "v1beta1", env={"SIDECARCTL_KRUISE": "1.8"})
    assert (ended.code, ended.stdout) == (2, "")
    assert "--api-version v1beta1 in Kruise 1.8 is unknown (one of v1alpha1)" in ended.stderr


def test_the_definition_serves_both_versions() -> None:
    crd = yaml.safe_load(run("schema", "--crd", "-o", "yaml").stdout)
    assert crd["kind"] == "CustomResourceDefinition"
    assert [version["name"] for version in crd["spec"]["versions"]] == ["v1alpha1", "v1beta1"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("Pod",), "KIND Pod is unknown (one of SidecarSet, Config, "),
        (("RolloutPlan", "--crd"), "--crd is for SidecarSet (omit it, or the kind)"),
        (("--api-version", "v1"), "--api-version v1 is unknown (one of v1alpha1, v1beta1)"),
    ],
)
def test_what_has_no_schema_is_refused_with_what_has(words: tuple[str, ...], told: str) -> None:
    ended = run("schema", *words)
    assert (ended.code, ended.stdout) == (2, "")
    assert told in ended.stderr
