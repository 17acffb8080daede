"""The forms of a functionConfig, and what is wrong with others."""

import pytest

from sidecarctl.engine.config import SidecarInjection
from sidecarctl.engine.documents.reading.document import Reader
from sidecarctl.engine.facts.errors import InputError
from sidecarctl.engine.facts.values import Object
from sidecarctl.krm.function_config import read_function_config
from tests.krm.calls import SET, config_map, injection


def read(config: Object | None) -> SidecarInjection:
    return read_function_config(config, Reader())


def result_summary(config: Object) -> list[str]:
    with pytest.raises(InputError) as fault:
        read(config)
    return [str(finding) for finding in fault.value.findings]


def test_a_config_map_says_the_same_as_text() -> None:
    told = read(
        config_map(
            mode="check",
            paths="a.yaml, b",
            only="logs,\nmesh",
            namespace="shop",
            timestamp="2026-01-01T00:00:00Z",
            seed="-7",
            featureGates=r"EnableSortSidecarContainerByName=true\,SidecarTerminator=false",
            revisionFrom="old.yaml",
            recursive="true",
            templatePaths="Game.example.com=spec.template",
            trustAnnotatedHash="true",
            force="true",
            strict="true",
            allowEmpty="false",
        )
    )
    options = {
        "only": ["logs", "mesh"],
        "namespace": "shop",
        "timestamp": "2026-01-01T00:00:00Z",
        "seed": -7,
        "featureGates": {"EnableSortSidecarContainerByName": True, "SidecarTerminator": False},
        "revisionFrom": ["old.yaml"],
        "recursive": True,
        "templatePaths": {"Game.example.com": "spec.template"},
        "trustAnnotatedHash": True,
        "force": True,
        "strict": True,
    }
    assert told == read(injection(mode="check", paths=["a.yaml", "b"], options=options))


def test_sets_stand_in_a_config_map_as_text() -> None:
    text = "kind: SidecarSet\nmetadata: {name: a}\n---\nkind: SidecarSet\nmetadata: {name: b}\n"
    first = text.partition("---")[0]
    assert [item["metadata"]["name"] for _, item in read(config_map(sidecarSets=first)).sidecarsets] == ["a"]
    assert [item["metadata"]["name"] for _, item in read(config_map(sidecarSets=text)).sidecarsets] == ["a", "b"]


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (config_map(mod="check"), "ConfigMap function-input: data.mod: unknown option mod (did you mean mode?)"),
        (config_map(zzz="1"), "valid options: mode, sidecarSets, paths"),
        (config_map(mode="chek"), 'data.mode: expected inject, uninject, validate or check, got the string "chek"'),
        (config_map(seed="many"), 'data.seed: expected a whole number, got the string "many"'),
        (config_map(strict="perhaps"), 'data.strict: expected true or false, got the string "perhaps"'),
        (config_map(featureGates="Sort=true"), "data.featureGates: unknown field Sort"),
        (config_map(templatePaths="Game"), "data.templatePaths"),
        (config_map(timestamp="today"), "data.timestamp: expected a time in RFC 3339"),
        (config_map(sidecarSets="a: b: c"), "data.sidecarSets: line 1: mapping values are not allowed"),
        (
            config_map(sidecarSets="kind: Pod"),
            "data.sidecarSets: expected SidecarSet, Namespace or ControllerRevision",
        ),
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": ["a"]}, "data: expected a mapping"),
        ({"apiVersion": "v1", "kind": "Secret"}, "unsupported functionConfig: kind Secret (v1)"),
        ({"kind": "SidecarSet", "apiVersion": "v1"}, "use SidecarInjection (sidecarctl.dev/v1alpha1), SidecarSet"),
        (
            {"apiVersion": "sidecarctl.dev/v2", "kind": "SidecarInjection"},
            "apiVersion: expected sidecarctl.dev/v1alpha1",
        ),
        (injection(mode=5), "spec.mode: expected inject, uninject, validate or check, got the number 5"),
        (injection(options={"onyl": []}), "spec.options.onyl: unknown field onyl (did you mean only?)"),
        (injection(options=[]), "spec.options: expected an object, got a list"),
        (injection(options={"only": "logs"}), 'spec.options.only: expected a list, got the string "logs"'),
        (injection(options={"only": [{}]}), "spec.options.only[0]: expected a string, got an object"),
        (injection(options={"only": [None]}), "spec.options.only[0]: expected a string, got null"),
        (injection(options={"kruise": 1.7}), "spec.options.kruise: expected a release in quotes"),
        (injection(options={"kruise": "0.9"}), 'spec.options.kruise: "0.9" is not supported'),
        (config_map(kruise="1.7.5"), 'data.kruise: "1.7.5" is not supported'),
        (injection(options={"seed": True}), "spec.options.seed: expected a whole number, got the boolean true"),
        (injection(options={"templatePaths": []}), "spec.options.templatePaths: expected an object"),
        (injection(options={"templatePaths": {"Game": ""}}), "spec.options.templatePaths.Game"),
        (injection(paths=["-"]), "spec.paths[0]: expected the path of a file or folder"),
        (injection(sidecarSets=[5]), "spec.sidecarSets[0]: expected an object of kind SidecarSet"),
        ({**injection(), "spec": "inject"}, "spec: expected an object"),
    ],
)
def test_what_cannot_be_meant_is_reported(config: Object, said: str) -> None:
    [finding] = result_summary(config)
    assert said in finding


def test_all_that_is_wrong_is_reported_at_once() -> None:
    assert len(result_summary(injection(mode="x", paths="y", options={"z": 1}))) == 3


def test_null_is_absent() -> None:
    assert read(injection(mode=None, paths=None, options={"only": None, "seed": None})) == SidecarInjection()


def test_values_of_a_config_map_that_are_no_text_are_taken_as_they_are() -> None:
    assert read(config_map(seed=5, strict=True, only=None)) == read(injection(options={"seed": 5, "strict": True}))


def test_a_set_is_a_config_too() -> None:
    assert read(SET) == SidecarInjection(sidecarsets=(((), SET),))
