"""The schemas of SidecarSet accept what Kruise takes, refuse what cannot be decoded, and are shipped as made."""

import json
import re
from collections.abc import Iterator

import pytest
from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError, best_match

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.releases.profiles import PROFILES, R1_6, R1_7, R1_8
from sidecarctl.engine.releases.release import Release
from sidecarctl.engine.sidecarset.conversion import as_known_to, version_of
from sidecarctl.engine.sidecarset.sets import Version
from sidecarctl.engine.validation.json_schemas import VERSIONS, crd, sidecarset_schema
from tests.conformance.cases import FOLDER, Case, cases_in
from tests.engine.releases.recordings import Recordings
from tests.engine.validation.__main__ import SCHEMAS
from tests.engine.validation.examples import sound_set

CASES = list(cases_in(FOLDER / "admit"))
VALIDATORS = {version: Draft7Validator(sidecarset_schema(version)) for version in VERSIONS}
_WORDS = {"type", "upgradeType", "patchPolicy", "podInjectPolicy"}
"""Fields in which Kruise takes any word, also one that means nothing: the schema has those that mean something."""


def sets_of(case: Case) -> list[Object]:
    return [item for item in case.objects if item["kind"] == "SidecarSet"]


@pytest.mark.parametrize("version", VERSIONS)
def test_the_shipped_schema_is_the_one_that_is_made(version: Version) -> None:
    schema = json.loads(SCHEMAS[version].read_bytes())
    Draft7Validator.check_schema(schema)
    assert schema == sidecarset_schema(version), "make it again with: python -m tests.engine.validation"


def test_what_kruise_takes_is_valid() -> None:
    for case in CASES:
        for manifest, recorded in zip(sets_of(case), case.expect.get("sets", []), strict=False):
            told = recorded.get("errors") or recorded.get("schemaErrors") or recorded.get("unknownFields")
            error = best_match(VALIDATORS[version_of(manifest)].iter_errors(manifest))
            assert told or error is None or error.absolute_path[-1] in _WORDS, (case.name, error)


def test_what_cannot_be_decoded_is_invalid() -> None:
    undecodable = [case for case in CASES if "error" in case.expect]
    assert len(undecodable) > 10
    for case in undecodable:
        assert any(not VALIDATORS[version_of(item)].is_valid(item) for item in sets_of(case)), case.name


def steps(error: ValidationError) -> Iterator[str | int]:
    """The steps to an error and to those that it is made of."""
    yield from error.absolute_path
    for inner in error.context or ():
        yield from steps(inner)


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"selectors": {}}, ""),
        ({"containers": [{"name": "a", "image": "a:1", "imagePullPolicy": "always"}]}, "imagePullPolicy"),
        ({"containers": [{"name": "a", "image": "a:1", "ports": [{"containerPort": 70000}]}]}, "containerPort"),
        ({"volumes": [{"name": "nginx.conf", "emptyDir": {}}]}, "name"),
    ],
)
def test_what_a_schema_can_say_is_reported_at_its_place(spec: Object, path: str) -> None:
    errors = VALIDATORS["v1beta1"].iter_errors(sound_set(**spec))
    places = {str(step) for error in errors for step in steps(error)}
    assert not path or path in places
    assert not VALIDATORS["v1beta1"].is_valid(sound_set(**spec))


def test_the_definition_for_api_servers_is_structural() -> None:
    definition = crd()
    assert definition["metadata"]["name"] == "sidecarsets.apps.kruise.io"
    assert [version["name"] for version in definition["spec"]["versions"] if version["storage"]] == ["v1beta1"]
    text = json.dumps(definition)
    assert not re.search(r'"(\$ref|anyOf|oneOf|patternProperties)"', text)
    assert '"default": ".*"' in text


OLD = [release for release in PROFILES.values() if not (release.serves_v1beta1 or release.derived)]
RECORDINGS = Recordings()


@pytest.mark.parametrize("release", OLD, ids=lambda release: release.name)
def test_what_an_old_release_takes_is_valid_in_its_schema(release: Release) -> None:
    schema = sidecarset_schema("v1alpha1", release)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    for case in CASES[OLD.index(release) :: len(OLD)]:
        expect = RECORDINGS.expected(case.key, release, case.expect)
        for manifest, recorded in zip(sets_of(case), expect.get("sets", []), strict=False):
            told = recorded.get("errors") or recorded.get("schemaErrors") or recorded.get("unknownFields")
            error = best_match(validator.iter_errors(as_known_to(release, manifest)))
            assert told or error is None or error.absolute_path[-1] in _WORDS, (case.name, error)


def test_a_schema_has_the_fields_of_its_release_alone() -> None:
    native = {"name": "n", "image": "n:1", "restartPolicy": "Always"}
    manifest = sound_set(initContainers=[native]) | {"apiVersion": "apps.kruise.io/v1alpha1"}
    assert Draft7Validator(sidecarset_schema("v1alpha1", R1_7)).is_valid(manifest)
    assert not Draft7Validator(sidecarset_schema("v1alpha1", R1_6)).is_valid(manifest)


def test_the_definition_of_an_old_release_stores_the_only_version_it_has() -> None:
    (version,) = crd(R1_8)["spec"]["versions"]
    assert (version["name"], version["storage"]) == ("v1alpha1", True)
    revision = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["injectionStrategy"]
    assert "enum" in revision["properties"]["revision"]["properties"]["policy"]
    (older,) = crd(R1_7)["spec"]["versions"]
    revision = older["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["injectionStrategy"]
    assert "enum" not in revision["properties"]["revision"]["properties"]["policy"]
