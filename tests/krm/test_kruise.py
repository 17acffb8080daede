"""The release of Kruise that a functionConfig names."""

import pytest

from sidecarctl.engine.facts.values import Object
from tests.krm.calls import SET, WEB, call, config_map, containers, injection

ALPHA: Object = SET | {"apiVersion": "apps.kruise.io/v1alpha1"}


@pytest.mark.parametrize("mode", ["inject", "check", "validate"])
def test_what_the_release_does_not_know_stops_the_call(mode: str) -> None:
    done = call([SET, WEB], injection(mode=mode, options={"kruise": "1.8"}))
    assert done.code == 3
    assert done.items[1] == WEB
    assert done.reasons("error") == ["UnknownToRelease"]


def test_it_continues_if_that_is_allowed() -> None:
    done = call([SET, WEB], injection(options={"kruise": "1.8", "allowUnknown": True}))
    assert done.code == 0
    assert containers(done.items[1]) == ["log-agent", "web"]
    assert done.reasons("warning") == ["UnknownToRelease"]


def test_uninject_only_warns() -> None:
    injected = call([SET, WEB], injection(options={"kruise": "1.8", "allowUnknown": True})).items
    done = call(injected, injection(mode="uninject", options={"kruise": "1.8"}))
    assert (done.code, done.items[1]) == (0, WEB)


def test_a_config_map_names_it_too() -> None:
    spec = {**ALPHA["spec"], "initContainers": [{"name": "native", "image": "native:1", "restartPolicy": "Always"}]}
    given = {**ALPHA, "spec": {**spec, "updateStrategy": {"type": "NotUpdate"}}}
    new, old = (
        call([given, WEB], config_map(kruise=release, allowUnknown="true")).items[1]["spec"]["template"]["spec"]
        for release in ("1.7", "1.6")
    )
    assert new["initContainers"][0]["restartPolicy"] == "Always"
    assert "restartPolicy" not in old["initContainers"][0]


def test_the_summary_names_the_behavior_where_it_is_not_the_default() -> None:
    assert (
        call([ALPHA, WEB], injection(options={"kruise": "1.7.4"}))
        .results[-1]["message"]
        .endswith("; behavior: Kruise 1.7")
    )
    assert "behavior" not in call([ALPHA, WEB], injection()).results[-1]["message"]


def test_the_rules_are_those_of_the_release() -> None:
    strategy = {"partition": 1, "selector": {"matchLabels": {"app": "web"}}}
    given = {**ALPHA, "spec": {**ALPHA["spec"], "updateStrategy": strategy}}
    new, old = (
        call([given, WEB], injection(mode="validate", options={"kruise": release})) for release in ("1.8", "1.7")
    )
    assert (new.code, old.code) == (1, 0)
    assert new.reasons("error") == ["Refused"]
