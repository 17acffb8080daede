"""What differs between two SidecarSets or pods, in words."""

import pytest

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.field_changes import field_changes
from sidecarctl.features.diff.changed_words import changed_words


def _container(**members: object) -> Object:
    return {"spec": {"containers": [{"name": "log", "image": "r.io/log:2.8.0", **members}]}}


def _annotated(**annotations: str) -> Object:
    return {"metadata": {"annotations": annotations} if annotations else {}}


LISTED = {"kruise.io/sidecarset-injected-list": "logs,mesh"}

OF_A_HOT_UPGRADE = {
    "kruise.io/sidecarset-working-hotupgrade-container": '{"log":"log-1"}',
    **{f"version.sidecarset.kruise.io/log-{half}": "1" for half in (1, 2)},
    **{f"versionalt.sidecarset.kruise.io/log-{half}": "0" for half in (1, 2)},
}


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (_container(), _container(image="r.io/log:2.9.1"), "log 2.8.0 → 2.9.1"),
        (_container(), _container(image="q.io/log:2.8.0"), "log r.io/log:2.8.0 → q.io/log:2.8.0"),
        (
            _container(image=f"r.io/log@sha256:{'a' * 64}"),
            _container(image=f"r.io/log@sha256:{'b' * 64}"),
            "log sha256:aaaaaaaaaaaa → sha256:bbbbbbbbbbbb",
        ),
        (_container(image="localhost:5000/log"), _container(), "log localhost:5000/log → r.io/log:2.8.0"),
        (_container(), _container(env=[{"name": "A", "value": "1"}]), "env A added to log"),
        (_container(env=[{"name": "A"}, {"name": "B"}]), _container(env=[{"name": "B"}]), "env A removed from log"),
        (
            _container(env=[{"name": "A", "value": "1"}]),
            _container(env=[{"name": "A", "value": "2"}]),
            "env A of log 1 → 2",
        ),
        (_container(), _container(volumeMounts=[{"name": "v", "mountPath": "/v"}]), "mount /v added to log"),
        (_container(), _container(command=["run"]), "log command added"),
        (_container(command=["run"]), _container(command=["go"]), "log command[0] run → go"),
        (
            _container(resources={"limits": {"cpu": "1"}}),
            _container(resources={"limits": {"cpu": "2"}}),
            "log resources.limits.cpu 1 → 2",
        ),
        ({"spec": {"containers": []}}, _container(), "container log added"),
        (_container(), {"spec": {}}, "container log removed"),
        ({"spec": {}}, {"spec": {"volumes": [{"name": "v"}]}}, "volume v added"),
        (
            {"spec": {"updateStrategy": {"partition": 0}}},
            {"spec": {"updateStrategy": {"partition": "50%"}}},
            "updateStrategy.partition 0 → 50%",
        ),
        (_annotated(**LISTED), _annotated(), "logs no longer injected; mesh no longer injected"),
        (
            _annotated(**LISTED),
            _annotated(**{"kruise.io/sidecarset-injected-list": "logs,debug"}),
            "mesh no longer injected; debug newly injected",
        ),
        (_annotated(**LISTED, **OF_A_HOT_UPGRADE), _annotated(**LISTED), ""),
        (
            _annotated(**LISTED, **OF_A_HOT_UPGRADE),
            _annotated(**{"kruise.io/sidecarset-injected-list": "mesh"}),
            "logs no longer injected",
        ),
        (_annotated(team="a", **OF_A_HOT_UPGRADE), _annotated(), "metadata.annotations.team a → none"),
        (
            {"spec": {"containers": [{"name": "a"}, {"name": "b"}]}},
            {"spec": {"containers": [{"name": "b"}, {"name": "a"}]}},
            "another order of the containers",
        ),
    ],
)
def test_words(before: Object, after: Object, words: str) -> None:
    assert changed_words(field_changes(before, after)) == words


def test_very_many_differences_are_counted() -> None:
    many = [{"name": f"V{number}"} for number in range(30)]
    assert changed_words(field_changes(_container(), _container(env=many))).endswith("; and 22 more")
