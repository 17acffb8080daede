"""Properties of any sets and pods."""

import json

from hypothesis import assume, given
from hypothesis import strategies as st

from sidecarctl.engine.api.canonical import typed
from sidecarctl.engine.facts.findings import Severity
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object, Value
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.pod.pod_plan import name_of
from sidecarctl.engine.injection.pod.pod_view import is_injected
from sidecarctl.engine.injection.removal import uninject
from sidecarctl.engine.injection.removal_scope import RemovalRequest
from sidecarctl.engine.releases.release import MASTER
from sidecarctl.engine.sidecarset.admission import admit
from sidecarctl.engine.sidecarset.sets import SidecarSet
from tests.effort import reaches_half
from tests.engine.injection.manifests import injected
from tests.engine.injection.strategies import (
    ALL,
    APART,
    LOSSES,
    PODS,
    REPEATABLE,
    apart,
    attempt,
    injection_of,
    pods,
    repeatable,
    sets_of,
    sidecarsets,
)

SEVERAL = sets_of(2).map(lambda sets: (*apart(sets[:-1]), *repeatable(sets[-1:])))


def on_master(manifest: Object) -> SidecarSet:
    """The set as master holds it: some of the sets are canaries."""
    return admit(manifest, MASTER)


def text(value: Value) -> str:
    return json.dumps(value)


@reaches_half
@given(REPEATABLE, PODS)
def test_a_second_injection_changes_nothing_but_where_it_was_said(sets: tuple[Object, ...], pod: Object) -> None:
    world = InjectionContext(map(on_master, sets))
    once = injection_of(pod, world, {Reason.NOT_IDEMPOTENT})
    assert injected(once.pod, world).pod is once.pod


@reaches_half
@given(APART, PODS)
def test_removal_restores_the_pod_except_as_reported(sets: tuple[Object, ...], pod: Object) -> None:
    world = InjectionContext(map(on_master, sets))
    once = injection_of(pod, world, LOSSES)
    back = uninject(once.pod, world, RemovalRequest())
    assert text(back.pod) == text(pod)
    assert all(finding.severity is Severity.NOTE for finding in back.findings)  # what may have been there before


@reaches_half
@given(ALL, pods())
def test_containers_of_the_pod_never_change(sets: tuple[Object, ...], pod: Object) -> None:
    once = injection_of(pod, InjectionContext(map(on_master, sets)))
    for after, allowed in (
        (once.pod, LOSSES),
        (uninject(once.pod, InjectionContext([]), RemovalRequest()).pod, LOSSES),
    ):
        replaced = {container.name for container in once.containers if container.replaces} if allowed else set()
        for field in ("containers", "initContainers"):
            own = [item for item in pod["spec"].get(field) or () if name_of(item) not in replaced]
            left = [item for item in after["spec"].get(field) or () if not is_injected(item)]
            assert len(own) == len(left)
            assert all(item is other for item, other in zip(own, left, strict=True))


@given(sidecarsets, pods())
def test_inputs_are_left_alone_and_the_rest_of_the_pod_is_shared(sets: tuple[Object, ...], pod: Object) -> None:
    before = text([sets, pod])
    once = attempt(pod, InjectionContext(map(on_master, sets)))
    assert text([sets, pod]) == before
    if once is not None:
        assert list(pod) == list(once.pod)[: len(pod)]
        assert once.pod["metadata"]["labels"] is pod["metadata"]["labels"]


@reaches_half
@given(ALL, pods())
def test_new_containers_are_in_typed_form_and_in_field_order(sets: tuple[Object, ...], pod: Object) -> None:
    once = injection_of(pod, InjectionContext(map(on_master, sets)))
    for entry in once.containers:
        if not entry.replaces:
            (container,) = [item for item in once.pod["spec"][entry.field] if name_of(item) == entry.name][:1]
            assert text(typed(container, "core.Container")) == text(container)


@reaches_half
@given(REPEATABLE, PODS, st.data())
def test_other_spellings_are_kept(sets: tuple[Object, ...], pod: Object, data: st.DataObject) -> None:
    world = InjectionContext(map(on_master, sets))
    once = injection_of(pod, world, {Reason.NOT_IDEMPOTENT})
    respelled = _respelled(once.pod, data)
    assert typed(respelled, "core.Pod") == typed(once.pod, "core.Pod")
    assert injected(respelled, world).pod is respelled


def _respelled(value: Value, data: st.DataObject, key: str = "") -> Value:
    """The same to the API: keys in another order, nulls and empty structs added, quantities in other words."""
    if isinstance(value, list):
        return [_respelled(item, data) for item in value]
    if isinstance(value, dict):
        members = [(name, _respelled(member, data, name)) for name, member in value.items()]
        if data.draw(st.booleans()):
            members.reverse()
        return dict(members) | (_ADDED if "image" in value and data.draw(st.booleans()) else {})
    other = {"500m": 0.5, "1": 1, "250m": "0.25", "100m": "0.1", "64Mi": "65536Ki", "1Gi": "1024Mi"}
    return other.get(value, value) if key in {"cpu", "memory"} else value


_ADDED: Object = {"tty": False, "stdin": None, "command": [], "workingDir": ""}


@reaches_half
@given(SEVERAL, PODS)
def test_removing_one_set_leaves_what_the_others_inject(sets: tuple[Object, ...], pod: Object) -> None:
    *others, last = sets
    assume(not _replaces_or_feeds_others(last))
    whole, rest = InjectionContext(map(on_master, sets)), InjectionContext(map(on_master, others))
    once, wanted = injection_of(pod, whole, LOSSES), injection_of(pod, rest, LOSSES)
    back = uninject(once.pod, whole, RemovalRequest(only=frozenset({last["metadata"]["name"]})))
    assume(not back.findings)
    assert text(_with_sorted_lists(back.pod)) == text(_with_sorted_lists(wanted.pod))


def _with_sorted_lists(pod: Object) -> Object:
    """What several sets bring stands where the first of them put it."""
    lists = {name: pod["spec"].get(name) for name in ("volumes", "imagePullSecrets") if pod["spec"].get(name)}
    return pod | {"spec": pod["spec"] | {name: sorted(items, key=name_of) for name, items in lists.items()}}


def _replaces_or_feeds_others(item: Object) -> bool:
    """A canary takes others' place; a patched annotation may name the container that others transfer from."""
    return bool(item["metadata"]["annotations"] or item["spec"].get("patchPodMetadata"))
