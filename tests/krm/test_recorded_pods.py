"""Every recorded case of `inject` through the function: the sets among the items, each pod an item."""

import json
from collections.abc import Callable
from typing import Any
from zlib import crc32

import pytest
import yaml

from sidecarctl.engine import config
from sidecarctl.engine.facts.errors import ImpossibleError, InputError
from sidecarctl.engine.facts.findings import error
from sidecarctl.engine.facts.reasons import Reason
from sidecarctl.engine.facts.values import Object
from sidecarctl.engine.injection.decisions import InjectionOptions
from sidecarctl.engine.injection.injecting import inject
from sidecarctl.engine.injection.injection_context import InjectionContext
from sidecarctl.engine.injection.selection import select
from sidecarctl.krm.function import answer_to
from tests.conformance.cases import FOLDER, NOW, Case, cases_in
from tests.conformance.inject import compare
from tests.effort import sampled, unmeasured
from tests.krm.calls import from_kpt, from_kustomize, injection, text_of

CASES = [case for case in cases_in(FOLDER / "inject") if case.operation == "inject"]


def recorded_options(**said: Any) -> InjectionOptions:
    """The recordings were made without an API server before the webhook."""
    return InjectionOptions(**said, keeps_times=False, fills_requests=False)


@pytest.fixture(autouse=True)
def _as_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(config, "InjectionOptions", recorded_options)


def config_of(case: Case) -> Object:
    gates = dict.fromkeys(case.params.get("gates", ()), True)
    return injection(
        options={"timestamp": NOW, "featureGates": gates, "allowEmpty": True, "kruise": case.release.name}
    )


def injected_by_kpt(pod: Object, others: list[Object], config: Object) -> Object:
    return answered_item(text_of([*others, pod], config))


def injected_by_kustomize(pod: Object, others: list[Object], config: Object) -> Object:
    """The id of kustomize on one of the items makes the call one of kustomize."""
    marked = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "marked"}}
    return answered_item(text_of([from_kustomize(marked), *others, pod], config))


def injected_in_json(pod: Object, others: list[Object], config: Object) -> Object:
    items = [*others, pod]
    call = {"apiVersion": "config.kubernetes.io/v1", "kind": "ResourceList", "items": items, "functionConfig": config}
    return answered_item(json.dumps(call))


Way = Callable[[Object, list[Object], Object], Object]
OTHER_WAYS: list[Way] = [injected_by_kustomize, injected_in_json]
"""They take turns from case to case."""


def answered_item(text: str) -> Object:
    answer = answer_to(text.encode(), {})
    value = yaml.load(answer.text, yaml.CSafeLoader)
    if answer.exit_code:
        said = [error(Reason.USAGE, result["message"]) for result in value["results"]]
        raise (InputError if answer.exit_code == InputError.exit_code else ImpossibleError)(*said)
    item = value["items"][-1]
    assert isinstance(item, dict)
    return item


def held(manifest: Object) -> Object:
    """The manifest as a cluster has it: the recorder called no webhook for SidecarSets, and some are rejected."""
    metadata = manifest.get("metadata") or {}
    return {**manifest, "metadata": {**metadata, "uid": "1"}} if manifest["kind"] == "SidecarSet" else manifest


@unmeasured
@pytest.mark.parametrize("case", sampled(CASES, 8), ids=[case.name for case in CASES])
def test_recorded(case: Case) -> None:
    others = [held(manifest) for manifest in case.objects if manifest["kind"] != "Pod"]
    for way in (injected_by_kpt, OTHER_WAYS[crc32(case.name.encode()) % len(OTHER_WAYS)]):

        def injected(pod: Object, context: InjectionContext, way: Way = way) -> tuple[Object, bool]:
            after = way(pod, others, config_of(case))
            return after, inject(pod, select(pod, context), context).changed

        assert compare(case, injected) is None


def test_an_item_of_kpt_keeps_its_file() -> None:
    pod = from_kpt(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": []}}, "a.yaml"
    )
    assert injected_by_kpt(pod, [], injection(options={"allowEmpty": True})) == pod
