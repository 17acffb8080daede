"""SidecarSets without containers: no pod records them, so their pods are compared with what new pods get."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from tests.cli.running import run
from tests.effort import reaches_half, share
from tests.features.drift.drifting import drift_of, revision_of, running, states, world
from tests.features.drift.test_outdated import (
    IN_SYNC,
    OUTDATED,
    PATCHES,
    PODS,
    SECRETS,
    UNKNOWN,
    admitted,
    app,
    fields_that_differ,
    overwritten,
    sidecarset,
)


def bare_set(**changed: Any) -> Object:
    """A SidecarSet without any container, which brings nothing but what is `changed`."""
    lists = ("containers", "initContainers", "volumes", "imagePullSecrets", "patchPodMetadata")
    nothing: dict[str, Any] = {name: [] for name in lists}
    return sidecarset(**{**nothing, **changed})


def other_set(image: str = "mesh:1") -> Object:
    """Another SidecarSet of the same pods, with a container."""
    made = sidecarset(containers=[{"name": "mesh", "image": image}], initContainers=[], patchPodMetadata=[])
    return {**made, "metadata": {"name": "mesh"}}


def injected(pod: Object, *manifests: Object) -> Object:
    """The pod as Kruise injects it with all of these SidecarSets."""
    context = InjectionContext([*map(admitted, manifests)])
    return running(inject(pod, select(pod, context), context).pod)


def named(pod: Object, old: Object, *manifests: Object, history: bool = True) -> tuple[list[str], set[str]]:
    """The states of a pod at the SidecarSet `logs`, and the fields that differ."""
    facts = drift_of(world([*manifests, *([revision_of(old)] if history else [])]), [pod])
    (found,) = next(item for item in facts.sets if item.name == "logs").pods
    return [*states(found)], {entry.text for each in found.drifts for entry in each.fields}


def patch(text: str, policy: str = "Overwrite") -> Object:
    """A SidecarSet that patches one annotation."""
    return bare_set(patchPodMetadata=[{"patchPolicy": policy, "annotations": {"rules": text}}])


RULES = {"metadata.annotations[rules]"}
PULL = {"spec.imagePullSecrets[a]", "spec.imagePullSecrets[b]"}
SECRET_A, SECRET_B = bare_set(imagePullSecrets=[{"name": "a"}]), bare_set(imagePullSecrets=[{"name": "b"}])


@pytest.mark.parametrize(
    ("old", "new", "others", "fields"),
    [
        (patch("v1"), patch("v2"), [], RULES),
        (patch("v1", "Retain"), patch("v2", "Retain"), [], RULES),
        (patch('{"a":1}', "MergePatchJson"), patch('{"b":1}', "MergePatchJson"), [], RULES),
        (bare_set(), patch("v1"), [], RULES),
        (patch("v1"), bare_set(), [], RULES),
        (patch("v1"), patch("v1"), [], set()),
        (SECRET_A, SECRET_B, [], set()),
        (SECRET_A, SECRET_B, [other_set()], PULL),
        (SECRET_A, patch("v1"), [other_set()], RULES | {"spec.imagePullSecrets[a]"}),
    ],
)
def test_drift_names_what_a_new_pod_gets_otherwise(
    old: Object, new: Object, others: list[Object], fields: set[str]
) -> None:
    pod = injected(app(), old, *others)
    assert named(pod, old, new, *others) == ([OUTDATED] if fields else [IN_SYNC], fields)
    assert named(injected(app(), new, *others), old, new, *others) == ([IN_SYNC], set())


def test_pull_secrets_go_with_the_sidecarset_whose_containers_brought_them() -> None:
    pod = injected(app(), SECRET_A, other_set())
    assert named(pod, SECRET_A, SECRET_A, other_set()) == ([IN_SYNC], set())
    assert named(pod, SECRET_A, SECRET_A) == ([OUTDATED], {"spec.imagePullSecrets[a]"})


def test_without_history_a_retained_annotation_may_be_the_pods_own() -> None:
    old, new = patch("v1", "Retain"), patch("v2", "Retain")
    assert named(injected(app(), old), old, new, history=False) == ([UNKNOWN], set())


def test_where_new_pods_get_nothing_either_there_is_no_drift() -> None:
    paused = bare_set(**patch("v2")["spec"], injectionStrategy={"paused": True})
    (item,) = drift_of(world([paused]), [injected(app(), patch("v1"))]).sets
    assert (item.pods, item.left_out) == ([], {"InjectionPaused": 1})


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A SidecarSet that patches metadata, with one pod of it and one of its earlier version."""
    old, new = patch("v1"), patch("v2")
    new["metadata"] = {**new["metadata"], "uid": "0a1b"}  # today's webhook would reject it
    pods = [injected(app(), old), injected(app(), new)]
    owner = {"apiVersion": "apps/v1", "kind": "StatefulSet", "name": "web", "uid": "1b", "controller": True}
    for index, pod in enumerate(pods):
        pod["metadata"] = {**pod["metadata"], "name": f"web-{index}", "ownerReferences": [owner]}
    made = {"new.json": new, "pods.json": {"apiVersion": "v1", "kind": "List", "items": pods}}
    for name, manifest in made.items():
        (tmp_path / name).write_text(json.dumps(manifest))
    return [tmp_path / name for name in made]


def test_status_plan_and_explain_say_the_same(files: list[Path]) -> None:
    counts = json.loads(run("drift", *files, "-o", "json").stdout)["sidecarSets"][0]["counts"]
    assert counts == {"Outdated": 1, "InSync": 1}
    assert json.loads(run("status", *files, "-o", "json").stdout)["sidecarSets"][0]["outdated"] == 1
    assert run("status", *files, "--fail-on", "NeverInjected").code == 0
    recreated = run("plan", *files, "--recreate").stdout
    assert "shop/web-0" in recreated
    assert "shop/web-1" not in recreated
    origin = run("explain", *files, "Pod/web-0", "--field", "metadata.annotations[rules]").stdout
    assert "not from the current version; the file has v2" in origin


@reaches_half
@given(old=st.tuples(SECRETS, PATCHES), new=st.tuples(SECRETS, PATCHES), bare=PODS, has_other=st.booleans())
@share(200)
def test_drift_names_exactly_the_fields_that_differ(
    old: tuple[list[Object], list[Object]],
    new: tuple[list[Object], list[Object]],
    bare: Object,
    has_other: bool,  # noqa: FBT001 - hypothesis gives it by name
) -> None:
    before, after = (bare_set(imagePullSecrets=each[0], patchPodMetadata=each[1]) for each in (old, new))
    assume(bare["metadata"]["annotations"].keys().isdisjoint(overwritten(before)))
    others = [other_set()] if has_other else []
    pod = injected(bare, before, *others)
    fields = fields_that_differ(pod, injected(bare, after, *others))
    assert named(pod, before, after, *others) == ([OUTDATED] if fields else [IN_SYNC], fields)
